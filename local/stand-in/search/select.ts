import { parseJson } from '../../../functions/runtime/json-object.ts'
import { countOf, type DocumentSource, sliceOf } from '../documents.ts'
import type { InjectedFault } from '../faults.ts'
import type { Filtering, SearchBehaviour } from './search-behaviour.ts'
import { compare, parseWhere, type WhereCondition, WhereSyntaxError } from './where.ts'

export type SearchSelection =
  | { readonly kind: 'selected'; readonly source: DocumentSource }
  | { readonly kind: 'refused'; readonly message: string }

export interface FilterRules {
  readonly fault: InjectedFault | undefined
  /** What searches, or scrolls, do with filters. */
  readonly filtering: Filtering
  readonly search: SearchBehaviour
}

/**
 * The documents that a query selects by `field=value` filters and `_where`. Without a filter the source itself is
 * returned without a copy. The platform or a fault may ignore or refuse the filter, and a fault lets it lag behind.
 */
export function select(
  stored: DocumentSource,
  query: URLSearchParams,
  { fault, filtering, search }: FilterRules,
): SearchSelection {
  const source = fault?.kind === 'lag' ? withoutNewest(stored, fault.documents) : stored
  const filters = [...query].filter(([name]) => name === '_where' || !name.startsWith('_'))
  const isUnknown = filters.some((filter) => !isKnown(filter, source))
  const isIgnored = filtering === 'ignored' || (isUnknown && search.unknownField === 'ignored')
  if (filters.length === 0 || isIgnored || fault?.kind === 'ignore-filter')
    return { kind: 'selected', source }
  const isRefused = filtering === 'refused' || (isUnknown && search.unknownField === 'refused')
  if (isRefused || fault?.kind === 'refuse-filter') {
    return { kind: 'refused', message: `Field '${filters[0]?.[0]}' is not searchable` }
  }
  try {
    const conditions = filters.map((filter) => conditionOf(filter, search))
    const matching = sliceOf(source, 0, countOf(source)).filter((bytes) => {
      const fields = requestedFields(bytes)
      return fields !== undefined && conditions.every((condition) => condition(fields))
    })
    return { kind: 'selected', source: fault?.kind === 'matches' ? fault.change(matching) : matching }
  } catch (error) {
    if (!(error instanceof WhereSyntaxError)) throw error
    return { kind: 'refused', message: `Invalid _where: ${error.message}` }
  }
}

function conditionOf([name, value]: [string, string], { index }: SearchBehaviour): WhereCondition {
  return name === '_where' ? parseWhere(value, index) : (fields) => compare(fields[name], value, index) === 0
}

/** Whether the first document has each field that a filter names. */
function isKnown([name, value]: [string, string], source: DocumentSource): boolean {
  const fields = requestedFields(sliceOf(source, 0, 1)[0] ?? Buffer.from('{}')) ?? {}
  const names = name === '_where' ? value.match(/[\p{L}_][\w.]*(?=\s*(?:<|>|=|is\b|between\b))/giu) : [name]
  return names?.every((each) => each in fields) ?? true
}

/** New documents are appended: the index does not show the last ones yet. */
function withoutNewest(source: DocumentSource, documents: number): DocumentSource {
  const count = Math.max(0, countOf(source) - documents)
  return Array.isArray(source) ? source.slice(0, count) : { ...source, count }
}

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
  return keyed.sort((a, b) => sign * compareKeys(a.key, b.key)).map(({ bytes }) => bytes)
}

type RequestedFields = Readonly<Record<string, unknown>>

/** Stored documents are filtered again and again. */
const parsed = new WeakMap<Buffer, RequestedFields>()

/** A document's fields; undefined if it is not a JSON object. */
function requestedFields(bytes: Buffer): RequestedFields | undefined {
  const known = parsed.get(bytes)
  if (known) return known
  const fields = parseJson(bytes.toString()) as RequestedFields | undefined
  if (fields) parsed.set(bytes, fields)
  return fields
}

function compareKeys(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a) < String(b) ? -1 : Number(String(a) > String(b))
}
