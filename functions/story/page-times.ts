import { type Position, progressOf } from '../../stored/pages/page.ts'

/** When the responses of a run's current attempts arrived, in ISO 8601. */
export interface PageTimes {
  readonly firstAt: string
  readonly lastAt: string
  /** Whether the platform has sent everything, whatever the proof says. */
  readonly hasScrolled: boolean
  /** How many pages have been committed. */
  readonly count: number
}

/** By the committed position of each range. Undefined before the first page, or once the pages have expired. */
export function pageTimesOf(positions: readonly (Position | undefined)[]): PageTimes | undefined {
  const begun = positions.flatMap((position) => (position && position.respondedAt > 0 ? [position] : []))
  if (begun.length === 0) return undefined
  return {
    firstAt: iso(Math.min(...begun.map(({ openedAt }) => openedAt))),
    lastAt: iso(Math.max(...begun.map(({ respondedAt }) => respondedAt))),
    hasScrolled: positions.every((position) => position?.kind === 'end'),
    count: begun.reduce((sum, position) => sum + progressOf(position).pages, 0),
  }
}

const iso = (time: number) => new Date(time).toISOString()
