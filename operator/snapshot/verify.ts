import { stateParts } from '../../functions/chain/state-parts.ts'
import type { ChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { chainSnapshotRun } from '../../functions/state/changes/changes-latest.ts'
import { openObjects } from '../../functions/state/objects.aws.ts'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import type { SnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { UnreadableObject } from '../../functions/state/unreadable-object.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { objectReader } from '../aws/objects.aws.ts'
import { openVersions } from '../aws/stored-versions.aws.ts'
import { openStores } from '../aws/stores.ts'
import { syncFix } from '../deployment/deployment.ts'
import { CommandError, Interrupted } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { openState } from '../sync/state.ts'
import {
  type CheckedObject,
  checkedObjects,
  checkObject,
  type ManifestObject,
  objectsOfPages,
} from './checked-objects.ts'
import { readPublished } from './published.ts'
import { repairObject } from './restore.ts'
import { restoreJson } from './restore-json.ts'
import { compareMetadata, type Mismatch, mismatchOf, verification } from './verification.ts'

export interface Verified {
  readonly entity: string
  readonly runId: string
  readonly documents: number
  readonly uniqueIds: number
  readonly pages: number
  /** Objects that change sets need in addition to the pages. */
  readonly chainObjects: number
  readonly mismatches: readonly Mismatch[]
  /** Whether objects had to be restored. */
  readonly repair: boolean
  /** Keys of objects of which an older, intact version is the current one again. */
  readonly restored: readonly string[]
}

/**
 * Compares the published snapshot with its manifest and the state table, and what change sets need with its hashes. Throws
 * `CommandError` and `Interrupted`.
 */
export async function verifySnapshot(
  entity: string,
  operation: Operation,
  { repair }: { readonly repair: boolean },
): Promise<Verified> {
  const { deployment, target, reporter, signal } = operation
  const client = awsClients.bucket()
  const { bucket } = deployment
  const repairing = { versions: openVersions(bucket, client), objects: openObjects(bucket, client) }
  const readAll = async () => {
    const published = await readPublished(deployment, entity, target)
    return { published, ofChain: await objectsOfChain(openStores(bucket), published.manifest) }
  }
  const restored = repair ? [...(await restoreJson({ ...repairing, deployment, entity, read: readAll }))] : []
  const { published, ofChain } = await readAll().catch((error: unknown) => {
    if (!repair || !(error instanceof UnreadableObject)) throw error
    const sync = syncFix(deployment.configuration, entity, target)
    throw new CommandError(`${error.problem} No older version is intact.`, {
      fix: `delete it (aws s3 rm s3://${bucket}/${error.key}), then publish a new snapshot: ${sync}`,
    })
  })
  const { manifest } = published
  const { latest: recorded } = await openState(deployment.table).readEntity(entity)
  const pages = objectsOfPages(manifest.pages)
  const idField = deployment.configuration.entities.find(({ name }) => name === entity)?.idField ?? 'id'
  const verifying = verification(idField)
  const read = objectReader(bucket, signal)
  /** The object as it is after the repair. */
  const repaired = async (checked: CheckedObject): Promise<CheckedObject> => {
    if ('lines' in checked) return checked
    const { object } = checked
    const outcome = await repairObject(repairing, object, repair)
    if (outcome === 'restored') restored.push(object.key)
    // It was read before, and another entry of a manifest may have restored it.
    const isCurrent = outcome === 'restored' || outcome === 'unneeded'
    const after = isCurrent ? await checkObject(object, await read(object.key)) : checked
    return 'problem' in after ? { ...after, repair: outcome } : after
  }
  const total = [...pages, ...ofChain].reduce((sum, { count }) => sum + count, 0)
  const progress = reporter.progress(entity)
  let done = 0
  const show = ({ object }: CheckedObject) => {
    done += object.count
    progress.show(done, total)
  }
  const inChain: Mismatch[] = []
  try {
    for await (const checked of checkedObjects(pages, read)) {
      verifying.add(await repaired(checked))
      show(checked)
    }
    for await (const checked of checkedObjects(ofChain, read)) {
      const after = await repaired(checked)
      if ('problem' in after) inChain.push({ ...mismatchOf(after), neededBy: 'change-sets' })
      show(checked)
    }
  } catch (error) {
    if (signal.aborted) throw new Interrupted('Interrupted.')
    throw error
  } finally {
    progress.end()
  }
  const { documents, uniqueIds, mismatches: inPages } = verifying.end(published)
  const mismatches = [...compareMetadata(entity, { ...published, recorded }), ...inPages, ...inChain]
  const { runId } = manifest
  const counts = { documents, uniqueIds, pages: pages.length, chainObjects: ofChain.length }
  return { entity, runId, ...counts, mismatches, repair, restored }
}

interface ChainStores {
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest'>
  readonly snapshots: Pick<SnapshotStore, 'readManifest'>
}

/**
 * What readers of the change sets and the next comparison need in addition to the published snapshot: withheld documents,
 * increments, and the pages of the chain's snapshot if that is an older one.
 */
async function objectsOfChain(
  { changes, snapshots }: ChainStores,
  { entity, runId }: Pick<Manifest, 'entity' | 'runId'>,
): Promise<readonly ManifestObject[]> {
  const chain = (await changes.readLatest(entity))?.value
  // The next set starts the chain again.
  if (!chain || chain.reset) return []
  const set = (await changes.readManifest(entity, chain.tip))?.value
  const run = chainSnapshotRun(chain)
  const snapshot = run === runId ? { pages: [] } : await snapshots.readManifest(entity, run)
  if (!set || !snapshot) return []
  return objectsOfPages(stateParts(snapshot, set))
}
