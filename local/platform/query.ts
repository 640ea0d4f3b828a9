import { countOf, type DocumentSource, sliceOf } from './documents.ts'

/**
 * The documents that a query selects: `field=value` filters, and `_where` of such terms joined by AND (any
 * other `_where` selects all). Without a filter the source itself comes back, untouched and uncopied.
 */
export function select(source: DocumentSource, query: URLSearchParams): DocumentSource {
  const wanted = filtersOf(query)
  if (wanted.length === 0) return source
  return sliceOf(source, 0, countOf(source)).filter((bytes) => {
    const fields = parse(bytes)
    return fields !== undefined && wanted.every(([name, value]) => String(fields[name]) === value)
  })
}

/** `_fields=a,b` cuts a document down to those fields; without it (or with `_all`) the bytes stay as stored. */
export function project(bytes: Buffer, query: URLSearchParams): Buffer {
  const names = query.get('_fields')?.split(',').filter(Boolean) ?? []
  if (names.length === 0 || names.includes('_all')) return bytes
  const fields = parse(bytes) ?? {}
  return Buffer.from(JSON.stringify(Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))))
}

/** `_sort=field ASC|DESC`. */
export function sort(source: DocumentSource, query: URLSearchParams): DocumentSource {
  const [name = '', direction = 'ASC'] = (query.get('_sort') ?? '').split(' ')
  if (name === '') return source
  const key = (bytes: Buffer) => parse(bytes)?.[name]
  const keyed = sliceOf(source, 0, countOf(source)).map((bytes) => ({ bytes, key: key(bytes) }))
  const sign = direction.toUpperCase() === 'DESC' ? -1 : 1
  return keyed.sort((a, b) => sign * compare(a.key, b.key)).map(({ bytes }) => bytes)
}

function filtersOf(query: URLSearchParams): [string, string][] {
  const filters = [...query].filter(([name]) => !name.startsWith('_'))
  const terms = query.getAll('_where').flatMap((where) => where.split(/\s+AND\s+/i))
  const parsed = terms.map((term) => /^\(?\s*([\w.]+)=([^<>()]*?)\s*\)?$/.exec(term))
  if (parsed.every((match) => match !== null)) {
    for (const match of parsed) filters.push([match[1] ?? '', match[2] ?? ''])
  }
  return filters
}

function parse(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(bytes.toString()) as Record<string, unknown>
  } catch {
    return undefined
  }
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a) < String(b) ? -1 : Number(String(a) > String(b))
}
