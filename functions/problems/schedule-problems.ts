import { formatRoughDuration } from '../runtime/format.ts'
import { scheduleSubject, startedName } from '../runtime/settings-schema/entity-schedules.ts'
import { pauseOf, pauseText } from '../state/pause.ts'
import { timeOfRunId } from '../state/run/run.ts'
import type { DeployedSchedule, EntityFacts } from './facts.ts'
import { snapshotFreshness } from './freshness.ts'
import { isRunning } from './last-run.ts'
import type { Found } from './problem.ts'

/** No sync of it can start, so nothing else can be resolved before. */
export function notDeployed({ settings, schedules }: EntityFacts): Found | undefined {
  if (!settings.enabled || schedules.kind !== 'not-deployed') return undefined
  const evidence = `${settings.name} is configured, but not deployed.`
  return { level: 'problem', since: null, evidence, action: `Deploy: ${schedules.deploy}` }
}

/** The schedules of an entity that is enabled. */
function schedulesOf({ settings, schedules }: EntityFacts): readonly DeployedSchedule[] {
  return settings.enabled && schedules.kind === 'deployed' ? schedules.schedules : []
}

export function missingSchedule(facts: EntityFacts): Found | undefined {
  const missing = schedulesOf(facts).find(({ isDeployed, existing }) => isDeployed && !existing)
  if (!missing) return undefined
  const { name } = facts.settings
  return {
    level: 'problem',
    since: null,
    evidence: `${scheduleSubject(name, missing.starts)} was deployed, but no longer exists in the account, so no ${startedName(missing.starts)} starts.`,
    action: 'Restore the schedule.',
    command: `repair-schedule ${name}`,
  }
}

export function changedSchedule(facts: EntityFacts): Found | undefined {
  const changed = schedulesOf(facts).find(({ existing, differences }) => existing && differences.length > 0)
  if (!changed) return undefined
  const { name } = facts.settings
  return {
    level: 'problem',
    since: changed.existing?.changedAt ?? null,
    evidence: `${scheduleSubject(name, changed.starts)} was changed in the account: ${changed.differences.join('; ')}.`,
    action: 'Restore the schedule as deployed.',
    command: `repair-schedule ${name}`,
  }
}

export function undeployedSchedule(facts: EntityFacts): Found | undefined {
  // What was changed in the account is a problem of its own, which a deployment does not resolve.
  const found = schedulesOf(facts).find(
    ({ undeployed, isDeployed, existing, differences }) =>
      undeployed && (!isDeployed || (existing && differences.length === 0)),
  )
  if (!found?.undeployed) return undefined
  const { deployed, configured, deploy } = found.undeployed
  return {
    level: 'problem',
    since: null,
    evidence: `${scheduleSubject(facts.settings.name, found.starts)} is ${deployed}; the configuration has ${configured}.`,
    action: `Deploy: ${deploy}`,
  }
}

/** The schedule that somebody has disabled, as `pause` of 1.0.0 did. Only operators read schedules. */
const disabledOf = (facts: EntityFacts) =>
  schedulesOf(facts).find(({ existing }) => existing && !existing.enabled)

/** Whether no run starts because a person wants it. */
export const isPaused = (facts: EntityFacts): boolean =>
  pauseOf(facts.settings, facts.state, facts.now) !== undefined || disabledOf(facts)?.starts === 'full'

/** A pause is intended. Only an old snapshot is a problem, and a problem of its own. */
export function paused(facts: EntityFacts): Found | undefined {
  const [pause, disabled] = [pauseOf(facts.settings, facts.state, facts.now), disabledOf(facts)]
  const { name } = facts.settings
  const starts = disabled && `${scheduleSubject(name, disabled.starts)} is disabled, so it starts nothing.`
  const evidence = [...(pause ? [pauseText(name, pause)] : []), ...(starts ? [starts] : [])].join(' ')
  if (evidence === '') return undefined
  const action =
    pause?.until && !disabled
      ? 'It ends by itself. Resume it if syncs are wanted earlier.'
      : 'Resume it when syncs are wanted again.'
  const since = pause?.since ?? disabled?.existing?.changedAt ?? null
  return { level: 'note', since, evidence, action, command: `resume ${name}` }
}

/**
 * Why a snapshot is too old, if no run has started for longer than the schedule allows, although it is neither paused
 * nor is a run in progress.
 */
export function missedStart(facts: EntityFacts): Pick<Found, 'evidence' | 'action'> | undefined {
  const { settings, state, watched, now } = facts
  const { maxAgeMs } = snapshotFreshness(facts)
  if (maxAgeMs === undefined || isRunning(facts) || isPaused(facts)) return undefined
  const schedule = schedulesOf(facts).find(({ starts }) => starts === 'full')
  const times = [schedule?.existing?.changedAt, watched.full, state.pause?.until]
    .flatMap((time) => time ?? [])
    .map(Date.parse)
  const since = Math.max(...times, ...(state.recentRuns ?? []).map(timeOfRunId))
  if (!Number.isFinite(since) || now - since <= maxAgeMs) return undefined
  const { name, schedule: expression } = settings
  return {
    evidence: `The schedule of ${name} is ${expression}, but no run has started for ${formatRoughDuration(now - since)}.`,
    // A look of the deployment itself does not read schedules: a disabled one is a pause that it cannot know.
    action: `Check ${schedule ? '' : 'whether its schedule is disabled, and '}the dead-letter queue of the schedules. Then sync it.`,
  }
}
