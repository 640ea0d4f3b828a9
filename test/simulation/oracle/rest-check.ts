import type { EntityState } from '../../../stored/entity-items.ts'
import type { EndedRun, Run } from '../../../stored/run/run.ts'
import type { OwnedSlot, Slots } from '../../../stored/slots/hand-over.ts'
import {
  latestKey,
  type Manifest,
  manifestKey,
  schemaChangesKey,
  schemaReportKey,
  snapshotsPrefix,
} from '../../../stored/snapshots/manifest.ts'
import type { Surroundings } from '../surroundings.ts'

/** The published snapshot and the previous one are always kept. */
const minKept = 2
/** A slot that is kept for longer was taken by a worker whose clock had jumped and that crashed. */
const clockJumpMs = 60 * 60_000
/** Lambda's time limit and a margin. */
const maxWorkerLifetimeMs = 16 * 60_000

/** The range and the attempt in the name of a page, or of what was checked of pages. */
const attemptIn = (key: string) => /\/(?:check-)?([^/]+)-p\d+[^/]*$/.exec(key)?.[1] ?? ''

/** What remains after a publication without faults that the publication should have deleted or released. */
export function leftovers(
  sim: Surroundings,
  { entity, tip }: { readonly entity: string; readonly tip: string | undefined },
): string[] {
  return [...leftObjects(sim, { entity, tip }), ...takenLocks(sim, entity)]
}

function leftObjects(
  { s3, scenario, scheduler, dynamodb }: Surroundings,
  { entity, tip }: { readonly entity: string; readonly tip: string | undefined },
): string[] {
  const settings = scenario.entities.find(({ name }) => name === entity)
  // No scenario keeps snapshots by day.
  const keepSnapshots = Number(settings?.keepSnapshots ?? 0)
  const keys = [...s3.objects.keys()].filter((key) => key.startsWith(snapshotsPrefix(entity)))
  const withManifest = keys
    .filter((key) => key.endsWith('/manifest.json'))
    .map((key) => key.split('/')[2] ?? '')
  // A run whose item has expired is kept if it has a manifest.
  const isPublished = (runId: string) => {
    const status = dynamodb.item<Run>(`entity#${entity}`, `run#${runId}`)?.status
    return status === undefined || status === 'published'
  }
  const kept = withManifest.filter(isPublished).toSorted().slice(-Math.max(minKept, keepSnapshots))
  const newest = kept.at(-1) ?? ''
  const { pages } = JSON.parse(String(s3.objects.get(manifestKey(entity, newest))?.body)) as Manifest
  const own = new Set([
    manifestKey(entity, newest),
    schemaReportKey(entity, newest),
    schemaChangesKey(entity, newest),
    ...pages.map(({ key }) => key),
  ])
  const attempts = new Set(pages.map(({ key }) => attemptIn(key)))
  const isOfCheck = (key: string) =>
    /\/(?:evidence|check-manifest|check-set)\.json$/.test(key) ||
    (key.includes('/check-') && ['listed', ...attempts].includes(attemptIn(key)))
  // What a frozen worker stored late in the folder of an older snapshot is deleted with that snapshot.
  const isAllowed = (key: string, runId: string) =>
    own.has(key) ||
    (runId === newest && isOfCheck(key)) ||
    (runId !== newest && kept.includes(runId)) ||
    runId === tip ||
    key === latestKey(entity)
  // The worker of an abandoned run may still write: the publication after next deletes its objects.
  const isSpared = (runId: string) => {
    const run = dynamodb.item<EndedRun>(`entity#${entity}`, `run#${runId}`)
    return run?.abandoned === true && scheduler.now() - Date.parse(run.endedAt) < maxWorkerLifetimeMs
  }
  // A comparison may have been reading a snapshot that was replaced shortly before the clean-up.
  const mayBecomeTip = (runId: string) => {
    const successor = withManifest.filter((run) => run > runId && isPublished(run)).toSorted()[0] ?? ''
    const endedAt = dynamodb.item<EndedRun>(`entity#${entity}`, `run#${successor}`)?.endedAt
    return scheduler.now() - Date.parse(endedAt ?? '') < clockJumpMs
  }
  return keys.filter((key) => {
    const [, , runId = ''] = key.split('/')
    return !isAllowed(key, runId) && !isSpared(runId) && !mayBecomeTip(runId)
  })
}

function takenLocks({ dynamodb, scheduler }: Surroundings, entity: string): string[] {
  const now = scheduler.now()
  const slots = [...ownersOf(dynamodb, 'syncs'), ...ownersOf(dynamodb, 'scrolls')]
    .filter(({ until }) => until > now && until < now + clockJumpMs)
    .map(({ runId }) => `the slot of ${runId}`)
  const lease = dynamodb.item<EntityState>(`entity#${entity}`, 'entity')?.lease
  return lease && lease.until > now ? [...slots, `the lease of ${lease.runId}`] : slots
}

/** Who has the slots of a limit. */
export function ownersOf(
  dynamodb: Surroundings['dynamodb'],
  limit: 'syncs' | 'scrolls',
): readonly OwnedSlot[] {
  return dynamodb.item<Slots>('slots', limit)?.owners ?? []
}

/** The slots and the lease of one run. */
export function locksOf(sim: Surroundings, runId: string): string[] {
  return ['CL', 'AD'].flatMap((entity) => takenLocks(sim, entity)).filter((lock) => lock.endsWith(runId))
}
