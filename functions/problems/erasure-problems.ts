import type { EntityState } from '../../stored/entity-items.ts'
import { dayMs } from '../runtime/durations.ts'
import { formatMinute } from '../runtime/format.ts'
import type { EntityFacts } from './facts.ts'
import type { Found } from './problem.ts'

/** What was published so long ago that it should be gone stays, since the published snapshot is never erased. */
export const isErasureWaiting = (publishedAt: string, eraseWithinDays: number, now: number): boolean =>
  Date.parse(publishedAt) < now - eraseWithinDays * dayMs

export function waitingErasure(facts: ErasureFacts): Found | undefined {
  const { name, isConfigured, publishedAt, eraseWithinDays, now } = facts
  if (publishedAt === undefined || eraseWithinDays === undefined) return undefined
  if (!isErasureWaiting(publishedAt, eraseWithinDays, now)) return undefined
  return {
    level: 'problem',
    since: new Date(Date.parse(publishedAt) + eraseWithinDays * dayMs).toISOString(),
    evidence: `${name} has published nothing for more than ${eraseWithinDays} days (eraseWithinDays), so documents that were deleted since ${formatMinute(publishedAt)} are still stored.`,
    action: isConfigured
      ? 'Sync it. If the entity is not needed, remove it from the configuration and purge its data.'
      : 'It is not configured, so no sync replaces its snapshot: delete its data for good.',
    step: { kind: isConfigured ? 'sync' : 'purge', entity: name },
  }
}

/** The task runs once a day, and `eraseWithinDays` leaves a day for one that fails. */
const maxDaysBetweenPasses = 2

/** What decides whether erasure of an entity keeps up. */
export interface ErasureFacts {
  readonly name: string
  readonly isConfigured: boolean
  /** Of the published snapshot, in ISO 8601. */
  readonly publishedAt: string | undefined
  /** The last complete passes. */
  readonly passes: Pick<EntityState, 'erasedAt' | 'tablesErasedAt'>
  /** When `eraseWithinDays` was first seen, in ISO 8601; undefined before the first look. */
  readonly begin: string | undefined
  readonly eraseWithinDays: number | undefined
  readonly now: number
}

export const erasureFactsOf = ({ settings, state, watched, ...facts }: EntityFacts): ErasureFacts => ({
  ...facts,
  name: settings.name,
  isConfigured: true,
  publishedAt: state.latest?.publishedAt,
  passes: state,
  begin: watched.erasure,
})

/** When the last complete pass over an entity became too old, in epoch milliseconds; undefined if it is not. */
function erasureIncompleteSince(facts: ErasureFacts): number | undefined {
  const { passes, begin, eraseWithinDays, now } = facts
  if (eraseWithinDays === undefined || begin === undefined) return undefined
  // A pass before eraseWithinDays was set again shows nothing.
  const first = Date.parse(begin)
  const last = [passes.erasedAt, passes.tablesErasedAt].map((time) =>
    Math.max(first, time ? Date.parse(time) : 0),
  )
  const until = Math.min(...last) + maxDaysBetweenPasses * dayMs
  return now > until ? until : undefined
}

export function incompleteErasure(facts: ErasureFacts): Found | undefined {
  const since = erasureIncompleteSince(facts)
  if (since === undefined) return undefined
  const { name, passes, eraseWithinDays } = facts
  const ofTables = (passes.tablesErasedAt ?? '') < (passes.erasedAt ?? '')
  const what = ofTables ? 'files of tables' : 'snapshots and change sets'
  return {
    level: 'problem',
    since: new Date(since).toISOString(),
    evidence: `The daily task has not erased all old ${what} of ${name} for ${maxDaysBetweenPasses} days, so content that must be gone after ${eraseWithinDays} days (eraseWithinDays) may still be stored.`,
    action: `Read the log of the function ${ofTables ? 'Tables' : 'Compare'}: "erasure failed", "erasure ran out of time", or nothing if it was not invoked.`,
  }
}
