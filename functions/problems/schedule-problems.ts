import { pauseOf, pauseText } from '../../stored/pause.ts'
import { formatMinute } from '../runtime/format.ts'
import { maxAgeSeconds } from '../runtime/schedule-gap.ts'
import {
  schedulesOf as configuredSchedules,
  type ScheduledStart,
  scheduleSubject,
  startedName,
} from '../runtime/settings-schema/entity-schedules.ts'
import type { DeployedSchedule, EntityFacts } from './facts.ts'
import { isRunning } from './last-run.ts'
import type { Found } from './problem.ts'

/** No sync of it can start, so nothing else can be resolved before. */
export function notDeployed({ settings, schedules }: EntityFacts): Found | undefined {
  if (!settings.enabled || schedules.kind !== 'not-deployed') return undefined
  const evidence = `${settings.name} is configured, but not deployed.`
  return { level: 'problem', since: null, evidence, action: `Deploy: ${schedules.deploy}` }
}

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
    step: { kind: 'repair-schedule', entity: name },
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
    step: { kind: 'repair-schedule', entity: name },
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
const disabledOf = (facts: EntityFacts, of: readonly ScheduledStart[]) =>
  schedulesOf(facts).find(({ starts, existing }) => of.includes(starts) && existing && !existing.enabled)

/** Whether nothing starts on schedule because a person wants it. */
export const isPaused = (facts: EntityFacts, starts: ScheduledStart): boolean =>
  pauseOf(facts.settings, facts.state, facts.now) !== undefined || disabledOf(facts, [starts]) !== undefined

/** A pause is intended. Only what becomes old is a problem, and a problem of its own. */
export function paused(facts: EntityFacts): Found | undefined {
  const pause = pauseOf(facts.settings, facts.state, facts.now)
  const disabled = disabledOf(facts, ['full', 'increment'])
  const { name } = facts.settings
  const starts = disabled && `${scheduleSubject(name, disabled.starts)} is disabled, so it starts nothing.`
  const evidence = [...(pause ? [pauseText(name, pause)] : []), ...(starts ? [starts] : [])].join(' ')
  if (evidence === '') return undefined
  const action =
    pause?.until && !disabled
      ? 'It ends by itself. Resume it if syncs are wanted earlier.'
      : 'Resume it when syncs are wanted again.'
  const since = pause?.since ?? disabled?.existing?.changedAt ?? null
  return { level: 'note', since, evidence, action, step: { kind: 'resume', entity: name } }
}

/**
 * That a schedule has started nothing for longer than two of its intervals, although it is not paused, and what has to
 * be checked before it is started by hand. `others`: when it last began otherwise, or could not begin.
 */
export function missedStart(
  facts: EntityFacts,
  starts: ScheduledStart,
  others: readonly number[],
): Pick<Found, 'evidence' | 'action'> | undefined {
  const { settings, state, watched, now } = facts
  const configured = configuredSchedules(settings).find((schedule) => schedule.starts === starts)
  const maxSeconds = configured && settings.enabled && maxAgeSeconds(configured.expression, now)
  if (!maxSeconds || isRunning(facts) || isPaused(facts, starts)) return undefined
  const schedule = schedulesOf(facts).find((deployed) => deployed.starts === starts)
  const times = [schedule?.existing?.changedAt, watched[starts], state.pause?.until]
    .flatMap((time) => time ?? [])
    .map(Date.parse)
  const since = Math.max(...times, ...others)
  if (!Number.isFinite(since) || now - since <= maxSeconds * 1000) return undefined
  const subject = scheduleSubject(settings.name, starts)
  const time = formatMinute(new Date(since).toISOString())
  return {
    evidence: `${subject} is ${configured.expression}, but no ${startedName(starts)} has started since ${time}.`,
    action: toCheck(schedule, starts),
  }
}

const reportsOf: Readonly<Record<ScheduledStart, string>> = {
  full: 'the dead-letter queue of the schedules',
  increment: 'the log of the function Worker',
}

function toCheck(schedule: DeployedSchedule | undefined, starts: ScheduledStart): string {
  // A look of the deployment itself does not read schedules: a disabled one is a pause that it cannot know.
  if (!schedule) return `Check whether its schedule is disabled, and ${reportsOf[starts]}.`
  // Both are problems of their own, with their command.
  if (!schedule.isDeployed) return 'Deploy its schedule.'
  if (!schedule.existing || schedule.differences.length > 0) return 'Restore its schedule.'
  return `Check ${reportsOf[starts]}.`
}
