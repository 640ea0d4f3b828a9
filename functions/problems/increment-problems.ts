import type { LastIncrement } from '../../stored/entity-items.ts'
import { formatDuration, formatMinute, plural } from '../runtime/format.ts'
import type { EntityFacts } from './facts.ts'
import { incrementFreshness, isStale, snapshotFreshness } from './freshness.ts'
import { causeOfStale, endingsText, fixOfLast, isAway, isSkippedSince, passes } from './increment-causes.ts'
import type { Found } from './problem.ts'
import { isPaused } from './schedule-problems.ts'

/** What runs and their snapshots need comes first: an increment only adds to a snapshot. */
export function staleIncrements(facts: EntityFacts): Found | undefined {
  const { settings, state, now } = facts
  const freshness = incrementFreshness(facts)
  if (!freshness || !settings.increments || !state.latest || !isStale(freshness, now)) return undefined
  // The platform is a problem of the deployment.
  if (isAway(facts) && !isStale(snapshotFreshness(facts), now) && !isPaused(facts, 'increment'))
    return undefined
  const { window } = state.increments ?? {}
  const ended = window
    ? `The last increment window of ${settings.name} ended ${formatMinute(window.to)}`
    : `No increment of ${settings.name} has succeeded yet`
  const { evidence, ...cause } = causeOfStale(facts)
  return {
    since: new Date(freshness.staleAt).toISOString(),
    ...cause,
    evidence:
      `${ended}; ${settings.increments.schedule} allows ${formatDuration(freshness.maxAgeMs ?? 0)}. ${evidence}`.trimEnd(),
  }
}

/** The last one published nothing, and the next one is ahead. */
function unpublishedIncrement(facts: EntityFacts, status: LastIncrement['status']): Found | undefined {
  const { settings, state } = facts
  const { last, failedSince } = state.increments ?? {}
  if (!settings.increments || !settings.enabled || last?.status !== status) return undefined
  if (staleIncrements(facts)) return undefined
  return {
    level: 'note',
    since: failedSince ?? last.endedAt,
    evidence: `${settings.name}: ${endingsText(facts)}`,
    ...fixOfLast(facts, 'The next increment covers its window. To try it now, start one.'),
  }
}

export const failedIncrement = (facts: EntityFacts): Found | undefined =>
  unpublishedIncrement(facts, 'failed')

export const skippedIncrement = (facts: EntityFacts): Found | undefined =>
  isSkippedSince(facts) && !passes(facts.state.increments?.last.code)
    ? unpublishedIncrement(facts, 'skipped')
    : undefined

/** Changes that a full sync found and that the windows of increments should have contained. */
export function missedChanges({ settings, audit, state }: EntityFacts): Found | undefined {
  const { name, increments: configured } = settings
  const { missedByIncrements: missed = 0 } = audit
  if (!configured || missed === 0) return undefined
  return {
    level: 'problem',
    since: state.latest?.publishedAt ?? null,
    evidence: `${name}: the last full sync found ${plural(missed, 'change')} that increments missed: either lookbackMinutes (${configured.lookbackMinutes}) is shorter than the platform takes to index a change, or the platform changed documents again without a new updatedIn.`,
    action: `Raise increments.lookbackMinutes of ${name} in the configuration and deploy. Then sync it.`,
    step: { kind: 'sync-afterwards', entity: name },
  }
}

export function invisibleChanges({ settings, audit, state }: EntityFacts): Found | undefined {
  const { name, increments: configured } = settings
  const { invisibleToIncrements: invisible = 0 } = audit
  if (!configured || invisible === 0) return undefined
  return {
    level: 'note',
    since: state.latest?.publishedAt ?? null,
    evidence: `${name}: the last full sync found ${plural(invisible, 'change')} that no increment can see: the platform changed documents without updating updatedIn, or documents lack createdIn and updatedIn.`,
    action: `A longer lookback does not help. Sync ${name} as often as readers need these changes.`,
  }
}
