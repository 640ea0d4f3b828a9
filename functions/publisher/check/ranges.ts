import type { CoverageReading } from '../../../stored/run/split.ts'

/** The query of a run, in the platform's parameters. */
export type SentQuery = Readonly<Record<string, string | readonly string[]>>

/**
 * The filters of all ranges between these boundaries, in the order in which they are opened: without a value first, then
 * by value. Neighbors share their boundary.
 */
export function filtersBetween(by: string, boundaries: readonly string[]): string[] {
  if (boundaries.length === 0) return []
  const inner = boundaries.slice(1).map((to, index) => `(${by} between ${boundaries[index]} AND ${to})`)
  return [
    `(${by} is null)`,
    `(${by} < ${boundaries[0]} OR ${by} = ${boundaries[0]})`,
    ...inner,
    `(${by} > ${boundaries.at(-1)} OR ${by} = ${boundaries.at(-1)})`,
  ]
}

export interface SentRequest {
  /** Path and query, as they were sent. */
  readonly target: string
  readonly entity: string
  readonly query: SentQuery
  /** The filter of the range; undefined for the whole entity. */
  readonly where: string | undefined
}

/** Why the first request of an attempt is not for this query and filter; undefined if it is. */
export function requestError({ target, entity, query, where }: SentRequest): string | undefined {
  const { pathname, searchParams } = new URL(target, 'https://platform.invalid')
  const path = `/api/dataentities/${encodeURIComponent(entity)}/scroll`
  if (pathname !== path) return `${pathname} was requested; the entity's path is ${path}`
  searchParams.delete('_size')
  const own = [query['_where'] ?? []].flat().filter((one) => where === undefined || one.trim() !== '')
  const filters = where === undefined ? own : [[...own.map((one) => `(${one})`), where].join(' AND ')]
  const expected = Object.entries({ ...query, _where: filters }).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}=${value}`),
  )
  const sent = [...searchParams].map(([name, value]) => `${name}=${value}`)
  if (sent.toSorted().join('\n') === expected.toSorted().join('\n')) return undefined
  return `the request had the parameters ${listed(sent)}; the query of the run has ${listed(expected)}`
}

const listed = (parameters: readonly string[]) =>
  parameters.length === 0 ? 'none' : parameters.map((one) => `"${one}"`).join(', ')

/** Whether a reading shows that the ranges contain the whole entity. */
export function isCovered({ whole: [before, after], ranges, onBoundaries }: CoverageReading): boolean {
  return before === after && sumOf(ranges) - sumOf(onBoundaries) === after
}

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
