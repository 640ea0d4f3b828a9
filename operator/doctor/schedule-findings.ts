import { formatRoughDuration } from '../../functions/runtime/format.ts'
import { maxAgeSeconds, maxWindowAgeSeconds } from '../../functions/runtime/schedule-gap.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { type ScheduledStart, subjectOf } from '../schedules/definition.ts'
import type { ScheduleFact } from '../schedules/deployed.ts'
import type { EntityFact } from './facts.ts'
import { type Finding, type FixCommands, note, ok, problem } from './finding.ts'

/** Infinite for a schedule that does not run again. */
export const maxAgeMs = (schedule: string, now: number): number =>
  (maxAgeSeconds(schedule, now) ?? Number.POSITIVE_INFINITY) * 1000

/** How old the last window of increments may be. Infinite for a schedule that does not run again. */
export const maxWindowAgeMs = (schedule: string, now: number): number =>
  (maxWindowAgeSeconds(schedule, now) ?? Number.POSITIVE_INFINITY) * 1000

interface ScheduleFacts {
  readonly configured: readonly EntitySettings[]
  readonly deployed: readonly ScheduleFact[]
  /** Recent runs by entity; empty if they could not be read. */
  readonly runs: readonly Pick<EntityFact, 'entity' | 'running' | 'runs'>[]
  readonly now: number
}

export function scheduleFindings(facts: ScheduleFacts, fixes: FixCommands): Finding[] {
  const scheduled = facts.configured.filter(({ enabled }) => enabled)
  const problems = scheduled.flatMap((entity) => scheduleProblems(entity, facts, fixes))
  if (problems.length > 0) return problems
  if (scheduled.length === 0) return [note('schedules', 'No entity has a schedule.')]
  return [ok('schedules', `Scheduled as configured: ${scheduled.map(({ name }) => name).join(', ')}.`)]
}

/** Entities with a schedule in the configuration and none in the deployed template. */
export function undeployedEntities(
  configured: readonly EntitySettings[],
  deployed: readonly ScheduleFact[],
): string[] {
  return configured
    .filter(({ enabled }) => enabled)
    .map(({ name }) => name)
    .filter((name) => deployed.every(({ definition }) => definition.entity !== name))
}

/** The age of the last window is a finding of its own. */
function scheduleProblems(entity: EntitySettings, facts: ScheduleFacts, fixes: FixCommands): Finding[] {
  const { name, increments, timezone } = entity
  const ofIncrements = increments && {
    name,
    schedule: increments.schedule,
    timezone,
    starts: 'increment' as const,
  }
  const problems = [
    deployedProblem({ ...entity, starts: 'full' }, facts, fixes),
    ofIncrements && deployedProblem(ofIncrements, facts, fixes),
  ].filter((found) => found !== undefined)
  return problems.length > 0 ? problems : missedStart(entity, facts, fixes)
}

interface ConfiguredSchedule extends Pick<EntitySettings, 'name' | 'schedule' | 'timezone'> {
  readonly starts: ScheduledStart
}

/** A difference from the deployed template first: a deployment does not fix it. */
function deployedProblem(
  { name, schedule, timezone, starts }: ConfiguredSchedule,
  { deployed }: Pick<ScheduleFacts, 'deployed'>,
  { deploy, longshore }: FixCommands,
): Finding | undefined {
  const subject = subjectOf(name, starts)
  const fact = deployed.find(({ definition }) => definition.entity === name && definition.starts === starts)
  if (!fact) return problem('schedules', `${subject} is configured, but not deployed.`, deploy)
  const { definition, existing, differences } = fact
  const repair = longshore(`repair-schedule ${name}`)
  if (!existing) {
    const what = starts === 'full' ? 'no schedule' : 'no schedule of increments'
    return problem('schedules', `${name} has ${what} in the account.`, repair)
  }
  if (differences.length > 0)
    return problem('schedules', `${subject} was changed in the account: ${differences.join('; ')}.`, repair)
  if (!existing.enabled) return problem('schedules', `${subject} is paused.`, longshore(`resume ${name}`))
  const { ScheduleExpression, ScheduleExpressionTimezone } = definition.properties
  if (ScheduleExpression === schedule && ScheduleExpressionTimezone === timezone) return undefined
  const text = `${subject} is ${ScheduleExpression} ${ScheduleExpressionTimezone}; the configuration has ${schedule} ${timezone}.`
  return problem('schedules', text, deploy)
}

function missedStart(
  { name, schedule }: EntitySettings,
  { deployed, runs, now }: ScheduleFacts,
  { longshore }: FixCommands,
): Finding[] {
  const { existing } =
    deployed.find(({ definition }) => definition.entity === name && definition.starts === 'full') ?? {}
  const own = runs.find(({ entity }) => entity === name)
  // While a run is in progress, every scheduled start is skipped.
  if (!existing || !own || own.running) return []
  const since = [existing.changedAt, ...own.runs.map(({ startedAt }) => startedAt)].toSorted().at(-1) ?? ''
  const idleMs = now - Date.parse(since)
  if (idleMs <= maxAgeMs(schedule, now)) return []
  const text = `The schedule of ${name} is ${schedule}, but no run has started for ${formatRoughDuration(idleMs)}.`
  const fix = `check the dead-letter queue of the schedules, then run ${longshore(`sync ${name} --watch`)}`
  return [problem('schedules', text, fix)]
}
