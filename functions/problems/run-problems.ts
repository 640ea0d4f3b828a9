import type { UnpublishedRun } from '../../stored/run/run.ts'
import { timeOfRunId } from '../../stored/run/run-id.ts'
import type { Latest } from '../../stored/snapshots/manifest.ts'
import { formatCount, formatDocuments, formatDuration, formatMinute } from '../runtime/format.ts'
import { nextRun } from '../runtime/next-run.ts'
import { listed } from './data-problems.ts'
import type { EntityFacts } from './facts.ts'
import { incrementFreshness, isStale, snapshotFreshness } from './freshness.ts'
import { isRunning, lastRunOf, rejections } from './last-run.ts'
import { type Found, syncMany } from './problem.ts'
import { credentialsFix, fixOfFailed, idFieldFix, knownFix } from './run-fixes.ts'
import { isPaused, missedStart } from './schedule-problems.ts'

export function refusedRun(facts: EntityFacts): Found | undefined {
  const last = lastRunOf(facts)
  if (last.kind !== 'refused') return undefined
  const { settings, state } = facts
  const { run, since, count } = last
  const { runId, guarded, documents } = run
  const found = guarded?.uniqueIds ?? documents
  if (guarded?.refusedBy === 'idField')
    return {
      level: 'problem',
      since,
      evidence: `Run ${runId} was refused: ${run.reason}${repeatedText(count)}`,
      ...idFieldFix(settings.name, 'review and accept this snapshot'),
    }
  const evidence = `Run ${runId} of ${settings.name} was refused: it found ${formatDocuments(found)}${comparedText(found, state.latest)}${repeatedText(count)}`
  const level = 'problem'
  const review =
    'Review which documents are missing. If they were deleted on purpose, accept exactly this snapshot.'
  if (found > 0) return { level, since, evidence, action: review, step: { kind: 'review', runId } }
  const action = `Check the name and 'query' of ${settings.name} in the configuration. If it has no documents and this is correct, set 'allowEmpty'. Deploy, then sync it.`
  return { level, since, evidence, action, step: { kind: 'sync-afterwards', entity: settings.name } }
}

function comparedText(found: number, latest: Latest | undefined): string {
  if (!latest) return '.'
  const lost = latest.documents - found
  const published = formatMinute(latest.publishedAt)
  if (lost <= 0) return `; the snapshot published ${published} has ${formatCount(latest.documents)}.`
  const percent = ((lost * 100) / latest.documents).toFixed(1)
  return `, ${percent}% fewer than the ${formatCount(latest.documents)} of the snapshot published ${published}.`
}

/** How many runs in a row, if it is more than one. Only the newest runs are read. */
const repeatedText = (count: number) =>
  count > 1 ? ` At least the last ${count} runs ended in the same way.` : ''

export function rejectedCredentials(facts: EntityFacts): Found | undefined {
  const last = lastRunOf(facts)
  if (last.kind !== 'rejected') return undefined
  const { run, since, count } = last
  const times = rejections(run)
  const often = times > 1 ? ` ${formatCount(times)} times` : ''
  const isSkipped = run.status === 'skipped'
  // A limit is another possible reason for the same status.
  const why =
    isSkipped || run.faults['rate-limit'] ? reasonOf(run) : `the platform rejected the credentials${often}.`
  return {
    level: 'problem',
    since,
    evidence: `Run ${run.runId} of ${facts.settings.name} ${isSkipped ? 'was skipped' : 'failed'}: ${why}${repeatedText(count)}`,
    ...credentialsFix(facts),
  }
}

/** When the schedule starts the next run at the latest, within one interval of a rate; undefined if it starts none. */
function latestStart(facts: EntityFacts, after: string): number | undefined {
  const { settings, now } = facts
  if (!settings.enabled || isPaused(facts, 'full')) return undefined
  const { schedule, timezone } = settings
  return nextRun({ expression: schedule, timezone, startsAt: timeOfRunId(after) }, now)
}

/**
 * A first failure is a note while the snapshot is fresh and the next run is ahead. Where a schedule has not published
 * yet, the missing snapshot is the problem.
 */
export function failedRun(facts: EntityFacts): Found | undefined {
  const last = lastRunOf(facts)
  const { settings, state } = facts
  if (last.kind !== 'failed' || (settings.enabled && !state.latest)) return undefined
  const { run, since, count } = last
  const next = latestStart(facts, run.runId)
  if (count === 1 && next !== undefined && !isOld(facts)) {
    const evidence = `Run ${run.runId} of ${settings.name} failed: ${reasonOf(run)}`
    const ahead = `The snapshot is recent, and the schedule starts the next run by ${formatMinute(new Date(next).toISOString())}.`
    const known = knownFix(run)
    const action = known ? `${ahead} ${known.action}` : ahead
    return { level: 'note', since, evidence, step: { kind: 'logs', runId: run.runId }, ...known, action }
  }
  const runs = count > 1 ? `At least the last ${count} runs` : 'The last run'
  const evidence = `${runs} of ${settings.name} failed: ${reasonOf(run)}${ageText(facts)}`
  return { level: 'problem', since, evidence, ...fixOfFailed(run) }
}

/** One for the deployment, of all entities whose last run ended because the platform was away. */
export function platformAway(entities: readonly EntityFacts[]): Found | undefined {
  const away = entities.flatMap((facts) => {
    const last = lastRunOf(facts)
    if (last.kind !== 'away') return []
    const isAhead = latestStart(facts, last.run.runId) !== undefined
    const increments = incrementFreshness(facts)
    const isFresh = !isOld(facts) && !(increments && isStale(increments, facts.now))
    const isNote = facts.state.latest && isAhead && isFresh
    return [{ ...last, name: facts.settings.name, isAhead, isNote }]
  })
  const [first] = away.toSorted((one, other) => one.since.localeCompare(other.since))
  if (!first) return undefined
  const names = away.map(({ name }) => name)
  const idle = away.filter(({ isAhead }) => !isAhead).map(({ name }) => name)
  return {
    level: away.every(({ isNote }) => isNote) ? 'note' : 'problem',
    since: first.since,
    evidence: `The platform was away when the last run of ${listed(names)} ended: ${first.run.reason}`,
    ...(idle.length === 0
      ? {
          action:
            'Do what the reason asks for, or wait: a scheduled run is soon repeated, and the schedules sync again when it is back.',
        }
      : { action: `When it is back, sync what no schedule starts: ${listed(idle)}.`, step: syncMany(idle) }),
  }
}

export function missingSnapshot(facts: EntityFacts): Found | undefined {
  const { settings, state } = facts
  const last = lastRunOf(facts)
  // The runs are read after the entity, which may not know yet what one of them has published.
  const isPublished = facts.runs.some(({ status }) => status === 'published')
  if (state.latest || isPublished || !settings.enabled) return undefined
  const level = 'problem'
  if (last.kind === 'failed') {
    const evidence = `${settings.name} has no snapshot: every run failed. The last one: ${reasonOf(last.run)}`
    return { level, since: last.since, evidence, ...fixOfFailed(last.run) }
  }
  // A run that was refused or rejected, and a platform that is away, are problems of their own.
  if (last.kind !== 'fine' || isRunning(facts)) return undefined
  const evidence = `${settings.name} has no snapshot yet.`
  const step = { kind: 'sync', entity: settings.name } as const
  return { level, since: null, evidence, action: 'Start a sync.', step }
}

/** Too old for its schedule, although no run has failed for a reason that is a problem of its own. */
export function staleSnapshot(facts: EntityFacts): Found | undefined {
  const { settings, state } = facts
  const last = lastRunOf(facts)
  if (!state.latest || !isOld(facts) || (last.kind !== 'fine' && last.kind !== 'away')) return undefined
  const { name } = settings
  const away = last.kind === 'away' ? ` The last run failed: ${reasonOf(last.run)}` : ''
  const idle = missedStart(facts, 'full', (state.recentRuns ?? []).map(timeOfRunId))
  const startIt = {
    action: idle ? `${idle.action} Then sync it.` : 'Sync it now, and check its result.',
    step: { kind: 'sync', entity: name },
  } as const
  const waitForPlatform = { action: 'Wait: the schedule syncs it again when the platform is back.' }
  return {
    level: 'problem',
    since: new Date(snapshotFreshness(facts).staleAt).toISOString(),
    evidence: `The snapshot of ${name} was published ${formatMinute(state.latest.publishedAt)}; ${limitText(facts)}.${away}${idle ? ` ${idle.evidence}` : ''}`,
    ...(idle || !away ? startIt : waitForPlatform),
  }
}

const isOld = (facts: EntityFacts) => isStale(snapshotFreshness(facts), facts.now)

const limitText = (facts: EntityFacts): string =>
  `${facts.settings.schedule} allows ${formatDuration(snapshotFreshness(facts).maxAgeMs ?? 0)}`

function ageText(facts: EntityFacts): string {
  const { latest } = facts.state
  if (!latest) return ''
  const limit = isOld(facts) ? `; ${limitText(facts)}` : ''
  return ` The snapshot was published ${formatMinute(latest.publishedAt)}${limit}.`
}

const reasonOf = ({ reason }: UnpublishedRun) => reason || 'no reason is known.'
