import { parseJson } from '../../../functions/runtime/json-object.ts'
import { countOf, type DocumentSource, sliceOf } from '../documents.ts'

/** `_fields=a,b` reduces a document to those fields; without it (or with `_all`) the bytes stay as stored. */
export function project(bytes: Buffer, query: URLSearchParams): Buffer {
  const names = (query.get('_fields') ?? '').split(',').flatMap((name) => name.trim() || [])
  if (names.length === 0 || names.includes('_all')) return bytes
  const fields = requestedFields(bytes) ?? {}
  return Buffer.from(JSON.stringify(Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))))
}

/** `_sort=field ASC|DESC`. */
export function sort(source: DocumentSource, query: URLSearchParams): DocumentSource {
  const [name = '', direction = 'ASC'] = (query.get('_sort') ?? '').split(' ')
  if (name === '') return source
  const keyed = sliceOf(source, 0, countOf(source)).map((bytes) => ({
    bytes,
    key: requestedFields(bytes)?.[name],
  }))
  const sign = direction.toUpperCase() === 'DESC' ? -1 : 1
  return keyed.sort((a, b) => sign * compare(a.key, b.key)).map(({ bytes }) => bytes)
}

type RequestedFields = Readonly<Record<string, unknown>>

/** Stored documents are filtered again and again. */
const parsed = new WeakMap<Buffer, RequestedFields>()

/** A document's fields; undefined if it is not a JSON object. */
export function requestedFields(bytes: Buffer): RequestedFields | undefined {
  const known = parsed.get(bytes)
  if (known) return known
  const fields = parseJson(bytes.toString()) as RequestedFields | undefined
  if (fields) parsed.set(bytes, fields)
  return fields
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a) < String(b) ? -1 : Number(String(a) > String(b))
}
