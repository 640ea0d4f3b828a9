import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { Lease } from '../../functions/state/lease.ts'
import { type Manifest, manifestKey, snapshotsPrefix } from '../../functions/state/manifest.ts'
import type { Surroundings } from './surroundings.ts'

/** The published snapshot and the one before it are always kept. */
const minKept = 2
/** Lambda's time limit and a margin. */
const maxWorkerLifetimeMs = 16 * 60_000

/** What remains after a publication without faults that the publication should have deleted or released. */
export function leftovers(sim: Surroundings, entity: string): string[] {
  return [...leftObjects(sim, entity), ...takenLocks(sim, entity)]
}

function leftObjects({ s3, scenario, scheduler, dynamodb }: Surroundings, entity: string): string[] {
  const { keepSnapshots = 0 } = scenario.entities.find(({ name }) => name === entity) ?? {}
  const keys = [...s3.objects.keys()].filter((key) => key.startsWith(snapshotsPrefix(entity)))
  const withManifest = keys
    .filter((key) => key.endsWith('/manifest.json'))
    .map((key) => key.split('/')[2] ?? '')
  // A run whose item has expired is kept if it has a manifest.
  const isPublished = (runId: string) => {
    const status = dynamodb.item(`entity#${entity}`, `run#${runId}`)?.['status']?.S
    return status === undefined || status === 'published'
  }
  const kept = withManifest.filter(isPublished).toSorted().slice(-Math.max(minKept, keepSnapshots))
  const allowed = new Set(
    kept.flatMap((runId) => {
      const manifest = JSON.parse(String(s3.objects.get(manifestKey(entity, runId))?.body)) as Manifest
      return [
        manifestKey(entity, runId),
        ...manifest.pages.map(({ key }) => key),
        ...lateObjects(manifest, keys),
      ]
    }),
  )
  // The worker of an abandoned run may still write: the publication after next deletes its objects.
  const isSpared = (runId: string) => {
    const { abandoned, endedAt } = dynamodb.item(`entity#${entity}`, `run#${runId}`) ?? {}
    return abandoned?.BOOL === true && scheduler.now() - Date.parse(endedAt?.S ?? '') < maxWorkerLifetimeMs
  }
  return keys.filter(
    (key) => !allowed.has(key) && !key.endsWith('/latest.json') && !isSpared(key.split('/')[2] ?? ''),
  )
}

/** What a frozen worker stored after the publication of its attempt. It is deleted with the snapshot. */
function lateObjects({ entity, runId, attempts }: Manifest, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => key.startsWith(`${snapshotsPrefix(entity)}${runId}/a${attempts}-`))
}

function takenLocks({ dynamodb, scheduler }: Surroundings, entity: string): string[] {
  const now = scheduler.now()
  const slots = [...dynamodb.items('slots')]
    .map((item) => unmarshall(item) as { runId: string; until: number })
    .filter(({ until }) => until > now)
    .map(({ runId }) => `the slot of ${runId}`)
  const item = dynamodb.item(`entity#${entity}`, 'entity')?.['lease']
  const lease = item && (unmarshall({ lease: item })['lease'] as Lease)
  return lease && lease.until > now ? [...slots, `the lease of ${lease.runId}`] : slots
}
