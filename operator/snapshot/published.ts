import * as v from 'valibot'
import { type Latest, latestKey, type Manifest, manifestKey } from '../../stored/snapshots/manifest.ts'
import { UnreadableObject } from '../../stored/unreadable-object.ts'
import { openStores } from '../aws/objects.aws.ts'
import type { Entities, Target } from '../deployment/deployment.ts'
import { longshoreCommand, requireEntity, syncFix } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'

interface StoredSnapshots {
  readonly bucket: string
  readonly configuration: Entities
}

/** Reads the manifest of an older snapshot. Throws `CommandError` if it does not exist. */
export async function readOlder(
  { bucket, configuration }: StoredSnapshots,
  { entity, runId }: { entity: string; runId: string },
  target: Target,
): Promise<Manifest> {
  const manifest = await openStores(bucket).snapshots.readManifest(entity, runId)
  if (manifest) return manifest
  requireEntity(configuration, entity)
  const fix = `list the runs (${longshoreCommand(target, `runs ${entity}`)}); keepSnapshots limits how many snapshots are kept`
  throw new CommandError(`There is no snapshot of run ${runId} of ${entity}.`, { fix })
}

/** Reads the manifest of the published snapshot or of a run's, which may have been refused. Throws `CommandError`. */
export async function readProven(
  stored: StoredSnapshots,
  { entity, run }: { readonly entity: string; readonly run: string | undefined },
  target: Target,
): Promise<Manifest> {
  if (run === undefined) return (await requirePublished(stored, entity, target)).manifest
  const { snapshots } = openStores(stored.bucket)
  const published = await snapshots.readManifest(entity, run)
  return (
    published ??
    (await snapshots.readRefused(entity, run)) ??
    readOlder(stored, { entity, runId: run }, target)
  )
}

/** Reads `latest.json` and its manifest. Throws `CommandError` if nothing is published or the manifest is missing. */
export async function requirePublished(
  { bucket, configuration }: StoredSnapshots,
  entity: string,
  target: Target,
): Promise<{ readonly latest: Latest; readonly manifest: Manifest }> {
  const { snapshots } = openStores(bucket)
  const fix = syncFix(configuration, entity, target)
  const read = async <T>(
    key: string,
    schema: typeof latestSchema | typeof manifestSchema,
    promise: Promise<T | undefined>,
  ) => {
    const value = await promise
    if (value === undefined || v.is(schema, value)) return value
    throw new UnreadableObject(key, 'is malformed', { members: Object.keys(schema.entries) })
  }
  const stored = snapshots.readLatest(entity).then((latest) => latest?.value)
  const latest = await read(latestKey(entity), latestSchema, stored)
  if (!latest) {
    requireEntity(configuration, entity)
    throw new CommandError(`No snapshot of ${entity} has been published.`, { fix })
  }
  const key = manifestKey(entity, latest.runId)
  const manifest = await read(key, manifestSchema, snapshots.readManifest(entity, latest.runId))
  if (!manifest) throw new CommandError(`The manifest ${key} is not in the bucket.`, { fix })
  return { latest, manifest }
}

const latestSchema = v.object({
  runId: v.string(),
  manifest: v.string(),
  publishedAt: v.string(),
  documents: v.number(),
})

const manifestSchema = v.object({
  version: v.number(),
  entity: v.string(),
  runId: v.string(),
  documents: v.number(),
  uniqueIds: v.number(),
  pages: v.array(v.object({ key: v.string(), documents: v.number(), bytes: v.number(), sha256: v.string() })),
})
