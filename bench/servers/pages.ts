import { randomFrom } from '../../local/stand-in/documents.ts'

const idDigits = 12
const firstCreatedMs = Date.UTC(2024, 0, 1)
const createdEveryMs = 60_000

/** When a document was created: one after the other, in the order of their ids. */
export const createdIn = (document: number): string =>
  new Date(firstCreatedMs + document * createdEveryMs).toISOString()

/** The number of documents that were created before a time, or at it. */
export const createdUpTo = (time: string): number =>
  Math.floor((Date.parse(time) - firstCreatedMs) / createdEveryMs) + 1

/** Pages of a scroll. They are cheap to generate, so that the server is not the bottleneck. */
export function makePages(options: {
  documents: number
  bytes: number
  pageSize: number
  /** Each number gives different documents. */
  seed?: number
}) {
  const { documents, bytes, pageSize, seed = 0 } = options
  const generated = Array.from({ length: Math.min(pageSize, documents) }, (_, index) =>
    makeDocument(seed * pageSize + index, bytes),
  )
  const fullPage = Buffer.from(`[${generated.join(',')}]`)
  let at = 1
  const ends = generated.map((document) => {
    at += Buffer.byteLength(document) + 1
    return at - 1
  })
  const starts = [1, ...ends.map((end) => end + 1)]
  /** A page of at most `pageSize` documents from `first` on, counted from 0. */
  const pageFrom = (first: number, length: number) => {
    const page = Buffer.from(fullPage.subarray(0, (ends[length - 1] ?? 0) + 1))
    for (let at = 0; at < length; at++) {
      const id = String(first + at).padStart(idDigits, '0')
      page.write(`${id}${afterId}${createdIn(first + at)}`, (starts[at] ?? 0) + head.length, 'latin1')
    }
    page[page.length - 1] = closeBracket
    return page
  }
  return {
    count: Math.ceil(documents / pageSize),
    /** Page `index`, counted from 0. The pages differ only in the ids and times of their documents. */
    page: (index: number) => pageFrom(index * pageSize, Math.min(pageSize, documents - index * pageSize)),
    pageFrom,
  }
}

const head = '{"id":"'
const afterId = '","createdIn":"'
const closeBracket = 0x5d

/** A customer record of at least this many bytes that compresses about as well as real data. */
function makeDocument(index: number, bytes: number): string {
  const random = randomFrom(Math.imul(index + 1, 0x9e3779b1))
  const hex = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  const word = () => words[Math.floor(random() * words.length)] ?? ''
  const name = () => word().charAt(0).toUpperCase() + word()
  const fixed =
    `${head}${'0'.repeat(idDigits)}${afterId}${createdIn(0)}","userId":"${hex()}-${hex()}-${hex()}","firstName":"${name()}"` +
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

const syllables = 'ba cor del fi gu lan mer no pra qui ros sa tri vel zu ção'.split(' ')
const words = syllables.flatMap((one) => syllables.map((two) => one + two))
