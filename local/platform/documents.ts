/** The documents of one entity: stored bytes, or bytes made by index when there are too many to store. */
export type DocumentSource = Buffer[] | GeneratedDocuments

export interface GeneratedDocuments {
  readonly count: number
  readonly document: (index: number) => Buffer
}

export interface DocumentOptions {
  /** Size of one document; 1024 if not given, 256 at least. */
  readonly bytes?: number
  /** Another seed gives other ids and values. */
  readonly seed?: number
  /** Every second document has the id of the one before it, in upper case. */
  readonly caseTwins?: boolean
}

/** Documents 0 to count - 1, the same for the same options. */
export function makeDocuments(count: number, options: DocumentOptions = {}): Buffer[] {
  return Array.from({ length: count }, (_, index) => makeDocument(index, options))
}

/** One client of a shop. `balance` has more digits than a double holds, `name` more than ASCII. */
export function makeDocument(index: number, options: DocumentOptions = {}): Buffer {
  const { bytes = 1024, seed = 1, caseTwins = false } = options
  const isTwin = caseTwins && index % 2 === 1
  const number = randomOf(isTwin ? index - 1 : index, seed)
  const hash = Array.from({ length: 3 }, () =>
    Math.floor(number() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  )
  const id = `cl-${hash.join('')}-${isTwin ? index - 1 : index}`
  const name = names[Math.floor(number() * names.length)]
  const head =
    `{"id":"${isTwin ? id.toUpperCase() : id}","accountId":"${hash[0]}","number":${index},"name":"${name}"` +
    `,"email":"client${index}@example.com","balance":${1e15 + index}.${String(index).padStart(9, '0')}` +
    `,"isNewsletterOptIn":${number() < 0.5},"address":null,"note":"`
  return Buffer.from(`${head}${'x'.repeat(Math.max(0, bytes - Buffer.byteLength(head) - 2))}"}`)
}

export function countOf(source: DocumentSource): number {
  return Array.isArray(source) ? source.length : source.count
}

/** Documents `from` to `to` - 1, as far as they exist. */
export function sliceOf(source: DocumentSource, from: number, to: number): Buffer[] {
  if (Array.isArray(source)) return source.slice(from, to)
  const length = Math.max(0, Math.min(to, source.count) - from)
  return Array.from({ length }, (_, index) => source.document(from + index))
}

const names = ['Ana Müller', 'João Silva', 'Zoë \\"Z\\" Øster', '李雷', 'Иван 🌊', 'Mary O’Neil']

/** mulberry32, seeded by index, so that any document can be made without those before it. */
function randomOf(index: number, seed: number): () => number {
  let state = (Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b)) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
