import { updateAthenaTable } from '../../state/changes/athena-table.ts'
import {
  type ChangesLatest,
  chainSnapshotRun,
  changesPrefix,
  refusedChangesKey,
  type SetManifest,
  setPrefix,
} from '../../state/changes/changes.ts'
import { eraseVersions } from '../../state/erasure/erase-versions.ts'
import type { Kept } from '../../state/erasure/kept-runs.ts'
import type { EraseContext } from './context.ts'
import { type ErasedTip, isUnneededPart, keptChangeKeys, trimChain } from './plan-erasure.ts'

/** Deletes the objects of change sets that are in no chain, then takes old sets out of the chain. */
export async function eraseChanges(context: EraseContext, entity: string, limits: Kept): Promise<number> {
  const { versions, now } = context
  const runs = await versions.listFolders(changesPrefix(entity))
  const chain = (await context.changes.readLatest(entity))?.value
  // Without the chain's snapshot, no comparison with it can be accepted.
  const reviewable = chain && !chain.erased ? runs.filter((run) => run > chainSnapshotRun(chain)) : []
  const manifests = chain ? await readManifests(context, entity, chain) : []
  const kept = new Set([
    ...(chain ? keptChangeKeys(chain, manifests) : []),
    ...(await refusalKeys(context, entity, reviewable)),
  ])
  let erased = 0
  for (const run of runs)
    erased += await eraseVersions(context, setPrefix(entity, run), (version) =>
      isUnneededPart(version, kept, now()),
    )
  await trim(context, entity, limits)
  return erased
}

/** Readers of the sets that go receive `changes-expired`. The next task deletes the objects. */
async function trim(context: EraseContext, entity: string, { kept, cutoff }: Kept): Promise<void> {
  const { changes, log } = context
  for (;;) {
    const stored = await changes.readLatest(entity)
    if (!stored) return
    const { tip } = stored.value
    const chainSnapshot = chainSnapshotRun(stored.value)
    const erasedTip: ErasedTip = {
      set: (await changes.readManifest(entity, tip))?.value,
      isSnapshotErased: chainSnapshot < cutoff && !kept.includes(chainSnapshot),
    }
    const chain = trimChain(stored.value, erasedTip, cutoff)
    if (!chain) return
    if (!(await changes.writeLatest(entity, chain, stored))) continue
    const { reset } = chain
    log('INFO', 'chain trimmed', { entity, tip, sets: chain.sets.length, reset })
    return updateAthenaTable(context, entity)
  }
}

/** What the comparisons of these runs refused, which a person may still review and accept. */
async function refusalKeys(
  { changes }: Pick<EraseContext, 'changes'>,
  entity: string,
  runs: readonly string[],
): Promise<string[]> {
  const keys: string[] = []
  for (const run of runs) {
    const refused = await changes.readRefused(entity, run)
    if (refused)
      keys.push(refusedChangesKey(entity, run), ...(refused.reviewedParts ?? []).map(({ key }) => key))
  }
  return keys
}

async function readManifests(
  { changes }: Pick<EraseContext, 'changes'>,
  entity: string,
  { tip, sets }: ChangesLatest,
): Promise<SetManifest[]> {
  const manifests: SetManifest[] = []
  for (const runId of new Set([...sets.map((set) => set.runId), tip])) {
    const manifest = await changes.readManifest(entity, runId)
    if (manifest) manifests.push(manifest.value)
  }
  return manifests
}
