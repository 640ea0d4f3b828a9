import * as v from 'valibot'
import { readEntities, withoutSchedules } from '../../functions/problems/read-facts.ts'
import { jsonText } from '../../functions/state/objects.aws.ts'
import { type Latest, latestKey, manifestKey } from '../../functions/state/snapshots/manifest.ts'
import { UnreadableObject } from '../../functions/state/unreadable-object.ts'
import { openStores } from '../aws/stores.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { openState } from '../sync/state.ts'
import { latestSchema } from './published.ts'
import { type RepairContext, readable, readableVersions } from './restore.ts'

interface Restoring extends RepairContext {
  readonly deployment: Deployment
  readonly entity: string
  /** Reads what has to be readable in addition to what a look for problems reads. */
  readonly read: () => Promise<unknown>
}

/**
 * Restores `latest.json` if it is not that of the last publication, and the newest readable version of every object that
 * cannot be read: nothing is written over such an object, so this is the last one that Longshore wrote. Returns their keys.
 */
export async function restoreJson(restoring: Restoring): Promise<readonly string[]> {
  const restored = await restoreLatest(restoring)
  for (;;) {
    const unreadable = await findUnreadable(restoring)
    if (!unreadable || restored.includes(unreadable.key)) return restored
    if (!(await restoreReadable(restoring, unreadable))) return restored
    restored.push(unreadable.key)
  }
}

async function findUnreadable({
  deployment,
  entity,
  read: readRest,
}: Restoring): Promise<UnreadableObject | undefined> {
  const entities = deployment.configuration.entities.filter(({ name }) => name === entity)
  const look = {
    ...withoutSchedules,
    ...openStores(deployment.bucket),
    settings: { entities, eraseWithinDays: undefined },
    state: openState(deployment.table),
    looks: { readWatched: async () => ({}) },
    now: deployment.now,
  }
  const { entities: read } = await readEntities(look, entities)
  const [found] = read.flatMap(({ unreadable }) => unreadable ?? [])
  const failure = found ?? (await readRest().catch((error: unknown) => error))
  return failure instanceof UnreadableObject ? failure : undefined
}

async function restoreReadable(
  { objects, versions }: RepairContext,
  object: Pick<UnreadableObject, 'key' | 'members'>,
): Promise<boolean> {
  const stored = await objects.readText(object.key)
  if (stored && readable(stored.value, object)) return false
  for await (const value of readableVersions(versions, object))
    return objects.putIf(object.key, stored ?? 'absent', jsonText(value))
  return false
}

async function restoreLatest(restoring: Restoring): Promise<string[]> {
  const { deployment, entity, objects, versions } = restoring
  const { snapshots } = openStores(deployment.bucket)
  const latest = { key: latestKey(entity), members: [] }
  const stored = await objects.readText(latest.key)
  // Read after latest.json, which moves first.
  const { latest: recorded } = await openState(deployment.table).readEntity(entity)
  const restored: string[] = []
  if (recorded && !(await snapshots.hasManifest(entity, recorded.runId))) {
    const manifest = { key: manifestKey(entity, recorded.runId), members: ['version'] }
    if (await restoreReadable(restoring, manifest)) restored.push(manifest.key)
  }
  const isLast = async (value: object | undefined): Promise<boolean> =>
    v.is(latestSchema, value) &&
    isOfLastRun(value, recorded) &&
    value.manifest === manifestKey(entity, value.runId) &&
    snapshots.hasManifest(entity, value.runId)
  if (stored && (await isLast(readable(stored.value, latest)))) return restored
  for await (const value of candidates(readableVersions(versions, latest), recorded)) {
    if (!(await isLast(value))) continue
    if (await objects.putIf(latest.key, stored ?? 'absent', jsonText(value))) restored.push(latest.key)
    break
  }
  return restored
}

/** A worker may have moved `latest.json` and not yet recorded it. */
const isOfLastRun = ({ runId, documents }: Latest, recorded: Latest | undefined): boolean =>
  recorded === undefined ||
  runId > recorded.runId ||
  (runId === recorded.runId && documents === recorded.documents)

/** What was recorded is what `latest.json` contained. */
async function* candidates(
  versions: AsyncIterable<object>,
  recorded: Latest | undefined,
): AsyncGenerator<object> {
  yield* versions
  if (recorded) yield recorded
}
