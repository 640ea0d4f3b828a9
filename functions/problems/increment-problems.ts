import { formatAge, formatRoughDuration, plural } from '../runtime/format.ts'
import { maxWindowAgeSeconds } from '../runtime/schedule-gap.ts'
import type { LastIncrement } from '../state/entity-items.ts'
import type { EntityFacts } from './facts.ts'
import { ageOf, type Freshness, isStale } from './freshness.ts'
import { isRunning, lastRunOf } from './last-run.ts'
import type { Found } from './problem.ts'
import { credentialsFix, type Fix, unreadableFix } from './run-fixes.ts'

const increments = ({ settings: { name }, state }: EntityFacts) => ({
  entity: name,
  last: state.increments?.last ?? null,
  publishedAt: state.latest?.publishedAt,
})

/**
 * How old the last window is, and may be: three increments in a row may fail, and half an hour may pass. Undefined
 * without increments. Before the first window, the age counts from the snapshot.
 */
export function incrementFreshness({ settings, state, watched, now }: EntityFacts): Freshness | undefined {
  const { increments, enabled } = settings
  if (!increments || !enabled) return undefined
  const publishedAt = state.increments?.window?.to ?? state.latest?.publishedAt
  return ageOf(
    { publishedAt, watchedSince: watched.increment },
    maxWindowAgeSeconds(increments.schedule, now),
    now,
  )
}

/** What runs and their snapshots need comes first: an increment only adds to a snapshot. */
export function staleIncrements(facts: EntityFacts): Found | undefined {
  const { settings, state, now } = facts
  const freshness = incrementFreshness(facts)
  if (!freshness || !settings.increments || !state.latest || isRunning(facts)) return undefined
  if (!isStale(freshness, now)) return undefined
  const { last } = increments(facts)
  const ending = lastIncrementText(last)
  const { window } = state.increments ?? {}
  const ended = window
    ? `The last increment window of ${settings.name} ended ${formatAge(window.to, now)}`
    : `No increment of ${settings.name} has succeeded yet`
  return {
    level: 'problem',
    since: new Date(freshness.staleAt).toISOString(),
    evidence: `${ended}; ${settings.increments.schedule} allows ${formatRoughDuration(freshness.maxAgeMs ?? 0)}.${ending ? ` ${ending}` : ''}`,
    ...adviceFor(
      facts,
      needsFullSync(increments(facts)) ? 'Start a full sync.' : 'Start an increment, and check its result.',
    ),
  }
}

function adviceFor(facts: EntityFacts, action: string): Fix {
  const { last } = facts.state.increments ?? {}
  if (last?.cause === 'credentials') return credentialsFix
  if (last?.cause === 'unreadable-object') return unreadableFix(facts.settings.name)
  // While the platform is away, what somebody starts fails in the same way.
  return last?.cause === 'platform-away' || (last?.status !== 'failed' && isAway(facts))
    ? { action: 'Wait: the next increment covers its window when the platform is back.' }
    : { action, command: incrementCommand(increments(facts)) }
}

function isAway(facts: EntityFacts): boolean {
  const full = lastRunOf(facts)
  if (full.kind !== 'away') return false
  const { last } = facts.state.increments ?? {}
  return last?.status !== 'published' || last.endedAt < full.run.endedAt
}

/** The last one published nothing, and the next one is ahead. */
function unpublishedIncrement(facts: EntityFacts, action: string): Found | undefined {
  const { settings, state } = facts
  const { last } = state.increments ?? {}
  if (!settings.increments || !settings.enabled || !last || staleIncrements(facts)) return undefined
  return {
    level: 'note',
    since: state.increments?.failedSince ?? last.endedAt,
    evidence: `${settings.name}: ${lastIncrementText(last)}`,
    ...adviceFor(facts, action),
  }
}

export const failedIncrement = (facts: EntityFacts): Found | undefined =>
  facts.state.increments?.last?.status === 'failed'
    ? unpublishedIncrement(facts, 'The next increment covers its window. To try it now, start one.')
    : undefined

export const skippedIncrement = (facts: EntityFacts): Found | undefined =>
  needsFullSync(increments(facts))
    ? unpublishedIncrement(facts, 'If the next ones are skipped too, start a full sync.')
    : undefined

/** Changes that a full sync found and that the windows of increments should have contained. */
export function missedChanges({
  settings: { name, increments: configured },
  audit,
  state,
}: EntityFacts): Found | undefined {
  const { missedByIncrements: missed = 0 } = audit
  if (!configured || missed === 0) return undefined
  return {
    level: 'problem',
    since: state.latest?.publishedAt ?? null,
    evidence: `${name}: the last full sync found ${plural(missed, 'change')} that increments missed: either lookbackMinutes (${configured.lookbackMinutes}) is shorter than the platform takes to index a change, or the platform changed documents again without a new updatedIn.`,
    action: `Raise increments.lookbackMinutes of ${name} in the configuration and deploy. Then sync it.`,
    command: `sync ${name} --watch`,
  }
}

export function invisibleChanges({
  settings: { name, increments: configured },
  audit,
  state,
}: EntityFacts): Found | undefined {
  const { invisibleToIncrements: invisible = 0 } = audit
  if (!configured || invisible === 0) return undefined
  return {
    level: 'note',
    since: state.latest?.publishedAt ?? null,
    evidence: `${name}: the last full sync found ${plural(invisible, 'change')} that no increment can see: the platform changed documents without updating updatedIn, or documents lack createdIn and updatedIn.`,
    action: `A longer lookback does not help. Sync ${name} as often as readers need these changes.`,
  }
}

interface Increments {
  readonly entity: string
  readonly last: LastIncrement | null
  /** When the published snapshot was published, in ISO 8601; undefined without one. */
  readonly publishedAt: string | undefined
}

/**
 * Whether the last increment was skipped, and no snapshot has been published since. If increments are skipped for long,
 * a full sync resolves the cause.
 */
const needsFullSync = ({ last, publishedAt }: Omit<Increments, 'entity'>): boolean =>
  last?.status === 'skipped' && (publishedAt === undefined || publishedAt <= last.endedAt)

const endings = { published: 'succeeded', failed: 'failed', skipped: 'was skipped' } as const

/** `The last increment was skipped: REASON`; undefined if it succeeded, or if there was none. */
export const lastIncrementText = (last: Increments['last']): string | undefined =>
  last?.reason ? `The last increment ${endings[last.status]}: ${last.reason}` : undefined

/** The command line, without the program's name, after which increments succeed again. */
const incrementCommand = (increments: Increments): string =>
  `sync ${increments.entity}${needsFullSync(increments) ? '' : ' --increment'} --watch`
