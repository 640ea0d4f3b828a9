import { chainSnapshotRun } from '../../../stored/changes/chain-facts.ts'
import { changesPrefix, refusedChangesKey, runOfPart } from '../../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import { findVersions } from '../../../stored/erasure/find-versions.ts'
import { isErasable, type Kept } from '../../../stored/erasure/kept-runs.ts'
import {
  type ErasedTip,
  isUnneededPart,
  keptChangeKeys,
  trimChain,
} from '../../../stored/erasure/plan-erasure.ts'
import type { ObjectVersion } from '../../../stored/object-versions.aws.ts'
import { mapPooled } from '../../runtime/map-pooled.ts'
import { type EraseTaskContext, readsAtOnce } from './context.ts'

/** Deletes the objects of change sets that are in no chain, then takes old sets out of the chain. */
export async function eraseChanges(context: EraseTaskContext, entity: string, limits: Kept): Promise<number> {
  const { versions, changes, now, checkTime } = context
  const prefix = changesPrefix(entity)
  const chain = (await changes.readLatest(entity))?.value
  const inChain = chain
    ? keptChangeKeys(chain, await readManifests(context, entity, chain))
    : new Set<string>()
  const found = await findVersions(
    context,
    prefix,
    (version) => version.key.includes('/', prefix.length) && isErasable(version, inChain),
  )
  // Without the chain's snapshot, no comparison with it can be accepted.
  const reviewable = chain && !chain.erased ? refusedRuns(found, entity, chainSnapshotRun(chain)) : []
  const kept = new Set(await refusalKeys(context, entity, reviewable))
  const erased = found.filter((version) => isUnneededPart(version, kept, now()))
  await versions.deleteVersions(erased, checkTime)
  await trim(context, entity, limits)
  return erased.length
}

/** Readers of the sets that go receive `changes-expired`. The next task deletes the objects. */
async function trim(context: EraseTaskContext, entity: string, { kept, cutoff }: Kept): Promise<void> {
  const { changes, snapshots, publisher, log } = context
  for (;;) {
    const chain = (await changes.readLatest(entity))?.value
    if (!chain) return
    const { tip } = chain
    const chainSnapshot = chainSnapshotRun(chain)
    // Read after the chain, which may have followed an acceptance since.
    const published = (await snapshots.readLatest(entity))?.value.runId
    const erasedTip: ErasedTip = {
      set: (await changes.readManifest(entity, tip))?.value,
      isSnapshotErased: chainSnapshot < cutoff && ![...kept, published].includes(chainSnapshot),
    }
    const shortening = trimChain(chain, erasedTip, cutoff)
    if (!shortening) return
    const note = { kind: 'shortened', ...shortening } as const
    if ((await publisher.note({ entity, tip, note })).kind === 'outdated') continue
    return log('INFO', 'chain trimmed', { entity, tip, ...shortening })
  }
}

/** The runs after the chain's snapshot whose comparisons refused something. */
const refusedRuns = (found: readonly ObjectVersion[], entity: string, snapshot: string): string[] =>
  found
    .filter(({ key, isLatest }) => isLatest && key === refusedChangesKey(entity, runOfPart(key)))
    .map(({ key }) => runOfPart(key))
    .filter((run) => run > snapshot)

/** What the comparisons of these runs refused, which a person may still review and accept. */
async function refusalKeys(
  { changes }: Pick<EraseTaskContext, 'changes'>,
  entity: string,
  runs: readonly string[],
): Promise<string[]> {
  const keys = await mapPooled(runs, readsAtOnce, async (run) => {
    const refused = await changes.readRefused(entity, run)
    return refused
      ? [refusedChangesKey(entity, run), ...(refused.reviewedParts ?? []).map(({ key }) => key)]
      : []
  })
  return keys.flat()
}

async function readManifests(
  { changes }: Pick<EraseTaskContext, 'changes'>,
  entity: string,
  { tip, sets }: ChangesLatest,
): Promise<SetManifest[]> {
  const runs = [...new Set([...sets.map((set) => set.runId), tip])]
  const manifests = await mapPooled(runs, readsAtOnce, (run) => changes.readManifest(entity, run))
  return manifests.flatMap((manifest) => manifest?.value ?? [])
}
