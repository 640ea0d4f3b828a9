import type { EntityRow } from '../../contract/overview.ts'
import { hasNotBegun } from './run-facts.ts'
import type { Tone } from './tones.ts'

/** Which entities are shown. */
export type Show = 'all' | EntityState | 'running' | 'waiting'

/** What an operator has to know first of an entity: it has exactly one of these states. */
type EntityState = 'problem' | EntityRow['freshness']['kind']

const hasProblem = ({ problems }: EntityRow) => problems.some(({ level }) => level === 'problem')
const stateOf = (row: EntityRow): EntityState => (hasProblem(row) ? 'problem' : row.freshness.kind)
const isWaiting = ({ running }: EntityRow) =>
  running !== null && (running.status === 'waiting' || hasNotBegun(running))

function isShown(row: EntityRow, show: Show): boolean {
  if (show === 'all') return true
  if (show === 'waiting') return isWaiting(row)
  return show === 'running' ? row.running !== null && !isWaiting(row) : stateOf(row) === show
}

/** Those in the middle add up to the number of entities. Without a value, only some are shown. */
const tiles: readonly (readonly [show: Show, label: string, tone: Tone, always: boolean])[] = [
  ['all', 'Entities', 'neutral', true],
  ['problem', 'With a problem', 'problem', true],
  ['fresh', 'Fresh', 'good', true],
  ['unscheduled', 'Without an age limit', 'neutral', false],
  ['stale', 'Stale, without a problem', 'neutral', false],
  ['never', 'Without a snapshot or problem', 'neutral', false],
  ['running', 'Running now', 'active', true],
  ['waiting', 'Waiting', 'active', false],
]

/** The numbers of entities, each of which filters the list. */
export const tilesOf = (entities: readonly EntityRow[]) =>
  tiles.flatMap(([show, label, tone, always]) => {
    const value = entities.filter((row) => isShown(row, show)).length
    return value > 0 || always ? [{ show, label, value, tone: value > 0 ? tone : '' }] : []
  })

export type SortColumn = 'entity' | 'snapshot' | 'documents' | 'run' | 'next'

/** Undefined: problems first, then notes and syncs in progress, each in the order of the configuration. */
export type Sorting = { readonly column: SortColumn; readonly isDescending: boolean } | undefined

/** Entities that are wanted and whose name contains the filter, without regard to case. */
export function matchingEntities(
  entities: readonly EntityRow[],
  { show, name }: { readonly show: Show; readonly name: string },
): EntityRow[] {
  const wanted = name.trim().toLowerCase()
  return entities.filter((row) => isShown(row, show) && row.entity.toLowerCase().includes(wanted))
}

export function sortedEntities(entities: readonly EntityRow[], sorting: Sorting): EntityRow[] {
  if (!sorting) return entities.toSorted((one, other) => urgencyOf(one) - urgencyOf(other))
  const { column, isDescending } = sorting
  const sortValue = sortValues[column]
  const sorted = entities
    .map((row) => ({ row, value: sortValue(row) }))
    .toSorted(({ value: one }, { value: other }) =>
      isDescending ? compare(other, one) : compare(one, other),
    )
  return sorted.map(({ row }) => row)
}

function urgencyOf(row: EntityRow): number {
  if (hasProblem(row)) return 0
  if (row.problems.length > 0) return 1
  if (row.running === null) return 4
  return isWaiting(row) ? 3 : 2
}

const sortValues: Readonly<Record<SortColumn, (row: EntityRow) => string | number>> = {
  entity: ({ entity }) => entity.toLowerCase(),
  snapshot: ({ freshness }) => ('ageMs' in freshness ? freshness.ageMs : Number.POSITIVE_INFINITY),
  documents: ({ snapshot }) => snapshot?.documents ?? -1,
  run: ({ running, lastRun }) => (running ?? lastRun)?.startedAt ?? '',
  next: ({ next }) => (next.kind === 'run' ? next.at : '~'),
}

function compare(one: string | number, other: string | number): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Of a column that is chosen again: ascending, descending, then as at first. */
export function nextSorting(sorting: Sorting, column: SortColumn): Sorting {
  if (sorting?.column !== column) return { column, isDescending: false }
  return sorting.isDescending ? undefined : { column, isDescending: true }
}

/** A short list needs no filter. */
export const isFilterUseful = (entities: readonly EntityRow[]) => entities.length > 10
