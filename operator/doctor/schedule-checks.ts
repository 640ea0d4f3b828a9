import type { EntityFacts } from '../../functions/problems/facts.ts'
import type { Problem } from '../../functions/problems/problem.ts'
import { type Checked, note, ok } from './finding.ts'

const ofSchedules: ReadonlySet<string> = new Set([
  'not-deployed',
  'schedule-missing',
  'schedule-changed',
  'schedule-not-deployed',
  'paused',
])

/** The entities whose schedules are as configured. */
export function scheduleChecks(entities: readonly EntityFacts[], problems: readonly Problem[]): Checked[] {
  const scheduled = entities.filter(({ settings }) => settings.enabled)
  if (scheduled.length === 0) return [note('schedules', 'No entity has a schedule.')]
  const others = new Set(problems.flatMap(({ kind, entity }) => (ofSchedules.has(kind) ? [entity] : [])))
  const names = scheduled.map(({ settings }) => settings.name).filter((name) => !others.has(name))
  return names.length === 0 ? [] : [ok('schedules', `Scheduled as configured: ${names.join(', ')}.`)]
}
