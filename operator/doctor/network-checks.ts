import { formatAge } from '../../functions/runtime/format.ts'
import { hasEnded } from '../../stored/run/run.ts'
import type { DoctorFacts } from './facts.ts'
import { type Checked, type LongshoreFixes, note, ok } from './finding.ts'

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
