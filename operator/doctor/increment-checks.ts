import type { EntityFacts } from '../../functions/problems/facts.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { chainSnapshotRun } from '../../stored/changes/chain-facts.ts'
import { absentIfUnreadable } from '../../stored/unreadable-object.ts'
import { openStores } from '../aws/stores.ts'
import type { IncrementFact } from './facts.ts'
import { type Checked, problem } from './finding.ts'

export const incrementChecks = (facts: readonly IncrementFact[]): Checked[] => facts.flatMap(lostSnapshot)

/** Readers that follow the chain have its state, but new readers cannot begin. A full sync starts the chain again. */
function lostSnapshot({ entity, lostSnapshot: lost }: IncrementFact): Checked[] {
  if (lost === undefined) return []
  const evidence = `${entity}: new readers of its change sets cannot begin, because the snapshot that they would load (run ${lost}) is gone.`
  const action = 'Sync it: this starts the change sets again.'
  return [problem('changes-without-snapshot', { entity, evidence, action, step: { kind: 'sync', entity } })]
}

const maxConcurrentReads = 24

/** Whether new readers can begin. */
export async function readIncrements(
  bucket: string,
  entities: readonly EntityFacts[],
): Promise<IncrementFact[]> {
  const { snapshots, changes } = openStores(bucket)
  const withIncrements = entities.filter(({ settings }) => settings.increments)
  return mapPooled(withIncrements, maxConcurrentReads, async ({ settings: { name: entity } }) => {
    const chain = (await changes.readLatest(entity).catch(absentIfUnreadable))?.value
    const chainSnapshot = chain && chainSnapshotRun(chain)
    const isLost = chainSnapshot && !chain.erased && !(await snapshots.hasManifest(entity, chainSnapshot))
    return { entity, lostSnapshot: isLost ? chainSnapshot : undefined }
  })
}
