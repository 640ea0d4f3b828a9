import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { chainSnapshotRun } from '../changes/chain-facts.ts'
import { changesPrefix, refusedChangesKey, runOfPart } from '../changes/change-keys.ts'
import type { SetManifest } from '../changes/changes.ts'
import type { ChangesLatest } from '../changes/changes-latest.ts'
import type { ObjectVersion } from '../object-versions.aws.ts'
import { neededSetKeys } from './set-reasons.ts'
import { type ErasureStores, findVersions, isErasable, isUnneededPart, readsAtOnce } from './stored-entity.ts'

/** The versions of objects of change sets that no chain needs, and nobody can accept. */
export async function findUnneededSets(context: ErasureStores, entity: string): Promise<ObjectVersion[]> {
  const prefix = changesPrefix(entity)
  const chain = (await context.changes.readLatest(entity))?.value
  const inChain = chain
    ? neededSetKeys(chain, await readManifests(context, entity, chain))
    : new Set<string>()
  const found = await findVersions(
    context,
    prefix,
    (version) => version.key.includes('/', prefix.length) && isErasable(version, inChain),
  )
  // Without the chain's snapshot, no comparison with it can be accepted.
  const reviewable = chain && !chain.erased ? refusedRuns(found, entity, chainSnapshotRun(chain)) : []
  const kept = new Set(await refusalKeys(context, entity, reviewable))
  return found.filter((version) => isUnneededPart(version, kept, context.now()))
}

/** The runs after the chain's snapshot whose comparisons refused something. */
const refusedRuns = (found: readonly ObjectVersion[], entity: string, snapshot: string): string[] =>
  found
    .filter(({ key, isLatest }) => isLatest && key === refusedChangesKey(entity, runOfPart(key)))
    .map(({ key }) => runOfPart(key))
    .filter((run) => run > snapshot)

/** What the comparisons of these runs refused, which a person may still review and accept. */
async function refusalKeys(
  { changes }: Pick<ErasureStores, 'changes'>,
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
  { changes }: Pick<ErasureStores, 'changes'>,
  entity: string,
  { tip, sets }: ChangesLatest,
): Promise<SetManifest[]> {
  const runs = [...new Set([...sets.map((set) => set.runId), tip])]
  const manifests = await mapPooled(runs, readsAtOnce, (run) => changes.readManifest(entity, run))
  return manifests.flatMap((manifest) => manifest?.value ?? [])
}
