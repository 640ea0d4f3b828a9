import type { InjectedFault } from '../../../local/stand-in/faults.ts'
import type { ReceivedKind } from '../../../local/stand-in/received-request.ts'
import { baseOf } from './document-versions.ts'
import { indexOf } from './documents.ts'

/** How the platform treats the filters that split an entity into ranges. */
export type Filters =
  | 'honest'
  | 'ignored'
  | 'ignored-by-scrolls'
  | 'refused'
  | 'refused-by-scrolls'
  | WrongFilters

/** Filters that are understood, and find too many or too few documents. */
export const wrongFilters = [
  'no-null',
  'misses',
  'misses-by-scrolls',
  'misses-by-searches',
  'repeats',
  'lags',
  'lags-by-scrolls',
] as const
type WrongFilters = (typeof wrongFilters)[number]

interface FilteredRequest {
  readonly kind: ReceivedKind
  readonly where: string
  readonly now: number
  /** Milliseconds since a document was created. */
  readonly ageOf: (base: number) => number
}

/** For how long filters do not find a new document. */
const lagMs = 10 * 60_000
/** One document in this many is not found. Which ones changes with every reorganization of the index. */
const missedOf = 23
const reorganizedMs = 15 * 60_000

/** Whether the platform has found other documents with the same filter since a time (epoch milliseconds). */
export function areFiltersReorganized(filters: Filters, sinceMs: number, now: number): boolean {
  const turn = (time: number) => Math.floor(time / reorganizedMs)
  return filters.startsWith('misses') && turn(sinceMs) !== turn(now)
}

/** How the platform treats a request with a filter. */
export function filterFault(filters: Filters, request: FilteredRequest): InjectedFault | undefined {
  const isScroll = request.kind === 'scroll'
  switch (filters) {
    case 'honest':
      return undefined
    case 'refused':
      return { kind: 'refuse-filter' }
    case 'refused-by-scrolls':
      return isScroll ? { kind: 'refuse-filter' } : undefined
    case 'ignored':
      return { kind: 'ignore-filter' }
    case 'ignored-by-scrolls':
      return isScroll ? { kind: 'ignore-filter' } : undefined
    case 'no-null':
    case 'misses':
    case 'misses-by-scrolls':
    case 'misses-by-searches':
    case 'repeats':
    case 'lags':
    case 'lags-by-scrolls':
      return { kind: 'matches', change: wronglyFound(filters, request) }
  }
}

/** The documents that a filter finds in place of the matching ones. */
function wronglyFound(
  filters: WrongFilters,
  { kind, where, now, ageOf }: FilteredRequest,
): (matching: Buffer[]) => Buffer[] {
  const isScroll = kind === 'scroll'
  const isBounded = /[<>]|between/.test(where)
  const turn = Math.floor(now / reorganizedMs)
  const isFound = (bytes: Buffer) => (baseOf(indexOf(bytes)) + turn) % missedOf !== 0
  const missing = (matching: Buffer[]) => matching.filter(isFound)
  const lagging = (matching: Buffer[]) => matching.filter((bytes) => ageOf(baseOf(indexOf(bytes))) > lagMs)
  const all = (matching: Buffer[]) => matching
  switch (filters) {
    case 'no-null':
      return where.includes('is null') ? () => [] : all
    case 'misses':
      return isBounded ? missing : all
    case 'misses-by-scrolls':
      return isBounded && isScroll ? missing : all
    case 'misses-by-searches':
      return isBounded && !isScroll ? missing : all
    case 'repeats':
      return isBounded ? (matching) => [...matching, ...matching.slice(0, 2)] : all
    case 'lags':
      return lagging
    case 'lags-by-scrolls':
      return isScroll ? lagging : all
  }
}
