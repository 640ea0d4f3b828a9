import { nextText as nextRunText } from '../../../operator/text/next-run.ts'
import type { SetRow } from '../../contract/change-sets.ts'
import type { ChangesRow, EntityResponse, EntityRow, NextRun } from '../../contract/overview.ts'
import { formatCount } from './format.ts'

export { scheduleText } from '../../../operator/text/next-run.ts'

export const nextRunLabel = (next: NextRun, now: string) => nextRunText(next, Date.parse(now), '–')

/** `+2 ~3 −1`, with words for screen readers in the entity's own view. */
export function changesText(changes: ChangesRow): string {
  if (changes.kind === 'off') return 'off'
  return changes.kind === 'none' ? '–' : setText(changes.set)
}

export function setText({ kind, created, updated, deleted, delivered }: SetRow): string {
  if (kind === 'reset') return 'reset'
  if (kind === 'increment') return `${formatCount(delivered)} delivered`
  return `+${formatCount(created)} ~${formatCount(updated)} −${formatCount(deleted)}`
}

/** What is shown in place of a list of change sets. */
export const changesNotices: Readonly<
  Record<ChangesRow['kind'], { readonly title: string; readonly text: string } | undefined>
> = {
  off: {
    title: 'Change sets are turned off.',
    text: 'To turn them on, remove `changes: false` from this entity in longshore.config.ts and deploy.',
  },
  none: {
    title: 'There is no change set yet.',
    text: 'The first publication creates a reset; the second creates the first set with records.',
  },
  last: undefined,
}

/** Changes when a snapshot or a change set is published, or a chain starts again. */
export const publishedVersion = ({ row, sets }: Pick<EntityResponse, 'row' | 'sets'>): string =>
  [row.snapshot?.runId, sets[0]?.runId, sets.at(-1)?.runId].join(' ')

/** The run in progress, or else the last one. */
export const shownRun = ({ running, lastRun }: Pick<EntityRow, 'running' | 'lastRun'>) => running ?? lastRun
