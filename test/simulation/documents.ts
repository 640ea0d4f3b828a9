import { type Rendering, renderDocument, renderings } from '../../local/platform/rendering.ts'

const distinct = 640
/** Documents without an id whose bytes are the same. */
const identical = 48
const count = distinct + identical

/** The documents that the entities of every seed consist of: first those with their own id, then identical ones. */
export const documentPool: readonly Buffer[] = Array.from({ length: count }, (_, index) =>
  Buffer.from(textOf(index)),
)

/** Indexes of documents with an identity of their own. */
export const distinctDocuments = distinct

/** Indexes of identical documents without an id. */
export const identicalDocuments: readonly number[] = Array.from(
  { length: identical },
  (_, at) => distinct + at,
)

/** Identical documents are the same document: the first of them represents all. */
export const canonical = (index: number): number => (index < distinct ? index : distinct)

const indexes = new Map(documentPool.map((bytes, index) => [bytes, index]))

/** The index of a document of the pool. */
export function indexOf(bytes: Buffer): number {
  const index = indexes.get(bytes)
  if (index === undefined) throw new Error('The document is not from the pool.')
  return index
}

const lines: Readonly<Record<Rendering, ReadonlyMap<string, number>>> = Object.fromEntries(
  renderings.map((rendering) => [
    rendering,
    new Map(documentPool.map((bytes, index) => [lineOf(bytes, rendering), canonical(index)])),
  ]),
) as unknown as Record<Rendering, ReadonlyMap<string, number>>

/** The index of the document with the bytes of this line (latin1); undefined if no such document was sent. */
export function documentOfLine(line: string, rendering: Rendering): number | undefined {
  return lines[rendering].get(line)
}

/** True if a document of the pool has an id. */
export function hasId(index: number, idField: string): boolean {
  const id = (JSON.parse(textOf(index)) as Record<string, unknown>)[idField]
  return id !== undefined && id !== null && typeof id !== 'object'
}

/** CONTRACT: each CR and LF outside a string becomes a space; inside a string JSON allows none. */
function lineOf(bytes: Buffer, rendering: Rendering): string {
  return renderDocument(bytes, rendering)
    .toString('latin1')
    .replaceAll(/[\r\n]/g, ' ')
}

function textOf(index: number): string {
  if (index >= distinct) return '{"country":"BR"}'
  const id = `d${String(index).padStart(5, '0')}`
  const created = createdIn(index)
  switch (index % 16) {
    case 1:
      return `{"id":${index},"big":12345678901234567890.1200,"small":-0.0e-0,"list":[],"createdIn":null}`
    case 2:
      return `{"name":"id last \\"quoted\\" \\\\","nested":{"id":"${id}x"},"createdIn":"${created}","id":"${id}"}`
    case 3:
      // Differs from the previous document's id by letter case only.
      return `{"id":"D${String(index - 1).padStart(5, '0')}","n":${index},"createdIn":"${created}"}`
    case 4:
      return `{"no":"id","number":${index},"id":null,"deep":[[[{"id":[1,{"a":{}}]}]]]}`
    case 5:
      return `{"number":${index},"text":"no id, ünïcödé 😀 \\ud83d\\ude00 \\u0000"}`
    case 6:
      return `{"\\u0069d":"${id}","b":1,"a":2,"B":3}`
    case 7:
      return `{"id":"\\u0064-${id}\\/","e":1E+2,"t":true,"f":false,"z":null}`
    case 8:
      return `{"id":"${index}","about":"the number ${index} is another id","tab":"\\t[]{},:"}`
    case 9:
      return `{"a":[{"id":1},{"id":2}],"id":"${id}","empty":{},"":""}`
    case 10:
      return `{"id":${index}.5e1,"long":"${'x'.repeat(index % 97)}"}`
    default:
      return `{"id":"${id}","number":${index},"createdIn":"${created}"}`
  }
}

/** Two documents an hour apart each, some with the same time, with up to seven fractional digits. */
function createdIn(index: number): string {
  const seconds = new Date(Date.UTC(2024, 0, 1) + Math.floor(index / 3) * 3_600_000)
    .toISOString()
    .slice(0, 19)
  return `${seconds}.${String((index * 37) % 1e7)
    .padStart(7, '0')
    .slice(0, 1 + (index % 7))}Z`
}
