import type { ScrollTotal } from '../scrolls/total.ts'

/** What a platform does with a filter, or with one on a field that no document has. */
export type Filtering = 'honored' | 'ignored' | 'refused'

/** How fields are compared with the values of a filter. */
export interface FieldIndex {
  /** Dates are cut to this many milliseconds. */
  readonly unitMs: number
  /** Whether the dates of filters are cut too. */
  readonly cutsFilters: boolean
  /** The documents' dates are taken for those of a zone this far ahead of UTC. */
  readonly zoneMinutes: number
  readonly findsNulls: boolean
}

/** How this platform searches, and what searches and scrolls do with filters. */
export interface SearchBehaviour {
  filter: Filtering
  unknownField: Filtering
  index: FieldIndex
  total: ScrollTotal
}

export const usualSearch: SearchBehaviour = {
  filter: 'honored',
  unknownField: 'honored',
  index: { unitMs: 1, cutsFilters: true, zoneMinutes: 0, findsNulls: true },
  total: 'right',
}
