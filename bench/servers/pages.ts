/** Pages of a scroll. They are cheap to generate, so that the server is not the bottleneck. */
export interface Pages {
  readonly count: number
  /** Page `index`, counted from 0. The pages differ only in the ids of their documents. */
  page(index: number): Buffer
}

const idDigits = 12

export function makePages(options: { documents: number; bytes: number; pageSize: number }): Pages {
  const { documents, bytes, pageSize } = options
  const generated = Array.from({ length: Math.min(pageSize, documents) }, (_, index) =>
    makeDocument(index, bytes),
  )
  const fullPage = Buffer.from(`[${generated.join(',')}]`)
  let at = 1
  const ends = generated.map((document) => {
    at += Buffer.byteLength(document) + 1
    return at - 1
  })
  const starts = [1, ...ends.map((end) => end + 1)]
  return {
    count: Math.ceil(documents / pageSize),
    page(index) {
      const first = index * pageSize
      const length = Math.min(pageSize, documents - first)
      const page = Buffer.from(fullPage.subarray(0, (ends[length - 1] ?? 0) + 1))
      for (let document = 0; document < length; document++) {
        page.write(
          String(first + document).padStart(idDigits, '0'),
          (starts[document] ?? 0) + idOffset,
          'latin1',
        )
      }
      page[page.length - 1] = closeBracket
      return page
    },
  }
}

const head = '{"id":"'
const idOffset = head.length
const closeBracket = 0x5d

/** A customer record of at least this many bytes that compresses about as well as real data. */
function makeDocument(index: number, bytes: number): string {
  const random = randomOf(index)
  const hex = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  const word = () => words[Math.floor(random() * words.length)] ?? ''
  const name = () => word().charAt(0).toUpperCase() + word()
  const fixed =
    `${head}${'0'.repeat(idDigits)}","userId":"${hex()}-${hex()}-${hex()}","firstName":"${name()}"` +
    `,"lastName":"${name()} ${name()}","email":"${word()}.${word()}${Math.floor(random() * 1e4)}@example.com"` +
    `,"document":"${Math.floor(random() * 1e11)}","phone":"+55${Math.floor(random() * 1e11)}"` +
    `,"birthDate":"${1940 + Math.floor(random() * 65)}-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 10)}T00:00:00Z"` +
    `,"isNewsletterOptIn":${random() < 0.5},"balance":${(random() * 1e4).toFixed(2)},"carttag":null` +
    `,"lastInteractionIn":"2026-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 10)}T1${Math.floor(random() * 10)}:24:51.8${Math.floor(random() * 1e6)}Z"` +
    `,"visitedProductsWithStockOutSkuIds":[${Array.from({ length: 8 }, () => Math.floor(random() * 1e6)).join(',')}]` +
    `,"checkoutTag":{"DisplayValue":"${word()} ${word()}","Scores":{"Products":[{"Point":${random().toFixed(6)}}]}},"note":"`
  let note = ''
  while (fixed.length + note.length < bytes - 2) note += `${word()} `
  return `${fixed}${note.slice(0, Math.max(0, bytes - 2 - fixed.length))}"}`
}

const syllables = [
  'ba',
  'cor',
  'del',
  'fi',
  'gu',
  'lan',
  'mer',
  'no',
  'pra',
  'qui',
  'ros',
  'sa',
  'tri',
  'vel',
  'zu',
  'ção',
]
const words = syllables.flatMap((one) => syllables.map((two) => one + two))

/** mulberry32: every run generates the same bytes. */
function randomOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
