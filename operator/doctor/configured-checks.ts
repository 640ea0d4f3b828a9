import type { EntityFacts } from '../../functions/problems/facts.ts'
import type { Problem } from '../../functions/problems/problem.ts'
import { formatAge } from '../../functions/runtime/format.ts'
import { hasEnded } from '../../stored/run/run.ts'
import type { AlertFact, DoctorFacts } from './facts.ts'
import { type Checked, type LongshoreFixes, note, ok, problem } from './finding.ts'

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

/**
 * Whether the functions reach the platform and AWS from their network. Only they can try it: a run that has received
 * documents since the last deployment has done so.
 */
export function networkChecks(
  { network, look, now }: Pick<DoctorFacts, 'network' | 'look' | 'now'>,
  { longshore }: LongshoreFixes,
): Checked[] {
  if (!network || !('value' in look)) return []
  const since = Date.parse(network.deployedAt)
  const runs = look.value.entities.flatMap((facts) => facts.runs).filter((run) => hasEnded(run))
  const proof = runs.find(({ startedAt, documents }) => documents > 0 && Date.parse(startedAt) >= since)
  if (proof) {
    const run = `a run of ${proof.entity}, started ${formatAge(proof.startedAt, now)}, received documents`
    return [ok('upstream', `The functions reach the platform from ${network.vpcId}: ${run}.`)]
  }
  const text = `No run since the last deployment shows whether the functions reach the platform from ${network.vpcId}.`
  const [first] = look.value.entities
  return [note('upstream', text, first && longshore(`sync ${first.settings.name} --watch`))]
}

/** Whether messages can be sent, as far as the secret shows it. No message is sent. */
export function alertChecks({ name, state, detail }: AlertFact): Checked[] {
  const what = `The secret of ${name}`
  if (state === 'set') return [ok('alerts', `${what} contains an address.`)]
  if (state === 'not-read')
    return [note('alerts', `${what} was not checked, because you have no permission to read it.`)]
  const [why, action] =
    state === 'missing'
      ? [
          'does not exist in this region, so nothing is reported there.',
          'Create it with the address of the receiver, or correct its name in the configuration.',
        ]
      : [
          `cannot be used, so nothing is reported there: ${detail}`,
          'Store the address of the receiver in it.',
        ]
  return [problem('alerts', { evidence: `${what} ${why}`, action })]
}
