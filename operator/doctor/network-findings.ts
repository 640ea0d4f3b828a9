import { formatAge } from '../../functions/runtime/format.ts'
import type { Facts } from './facts.ts'
import { type Finding, type LongshoreFixes, note, ok } from './finding.ts'

/**
 * Whether the functions reach the platform and AWS from their network. Only they can try it: a run that has received
 * documents since the last deployment has done so.
 */
export function networkFindings(
  { network, entities, now }: Pick<Facts, 'network' | 'entities' | 'now'>,
  { longshore }: LongshoreFixes,
): Finding[] {
  if (!network || !('value' in entities)) return []
  const since = Date.parse(network.deployedAt)
  const runs = entities.value.flatMap(({ running, runs }) => [...(running ? [running] : []), ...runs])
  const proof = runs.find(({ startedAt, documents }) => documents > 0 && Date.parse(startedAt) >= since)
  if (proof) {
    const run = `a run of ${proof.entity}, started ${formatAge(proof.startedAt, now)}, received documents`
    return [ok('upstream', `The functions reach the platform from ${network.vpcId}: ${run}.`)]
  }
  const text = `No run since the last deployment shows whether the functions reach the platform from ${network.vpcId}.`
  const [first] = entities.value
  const fix = first && { fix: longshore(`sync ${first.entity} --watch`) }
  return [{ ...note('upstream', text), ...fix }]
}
