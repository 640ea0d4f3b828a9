import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { GuardDecision, PublishingRun } from '../../stored/run/run.ts'
import type { Latest, Manifest } from '../../stored/snapshots/manifest.ts'
import { manifestKey, refusedKey, runPrefix } from '../../stored/snapshots/manifest.ts'
import type { PublishResult } from '../../stored/snapshots/publication.ts'
import { lacksEveryId } from '../../stored/snapshots/without-id.ts'
import { pick } from '../runtime/pick.ts'
import { Damaged } from './check/damage.ts'
import { type GuardRefusal, refusalOf } from './check/guards.ts'
import { checkPage } from './check/page.ts'
import { readLines } from './check/stored-lines.ts'
import { listObjects } from './chunks.ts'
import { damagedBy } from './damaged.ts'
import { moveLatest, moveTable, writeOnce } from './pointers.ts'
import type { Publisher } from './ports.ts'
import { possibleIdFields } from './possible-id-fields.ts'
import type { CheckedRun, Published } from './read-stored.ts'
import { readCheckedRun, readManifest, readPublished } from './read-stored.ts'

/** Publishes a run that was checked, unless a guard refuses it. It may be called again after a crash at any point. */
export async function publishRun(
  publisher: Publisher,
  { entity, runId }: { readonly entity: string; readonly runId: string },
): Promise<PublishResult> {
  const run = await publisher.items.readRun(entity, runId)
  if (run?.status !== 'publishing')
    return { kind: 'not-publishing', reason: `The run is ${run?.status ?? 'not found'}, not publishing.` }
  try {
    return await publish(publisher, run)
  } catch (error) {
    return damagedBy(error)
  }
}

async function publish(publisher: Publisher, run: PublishingRun): Promise<PublishResult> {
  const { entity, runId } = run
  const before = await readPublished(publisher, entity)
  if (before && before.latest.runId > runId) return { kind: 'superseded', by: before.latest.runId }
  // A worker that has crashed had let it publish.
  if (before?.latest.runId === runId && before.stored) return follow(publisher, before.latest, before.stored)
  const checked = (await readCheckedRun(publisher, entity, runId))?.value
  if (!checked || (run.accepted && !(await isRefused(publisher, checked)))) return { kind: 'unchecked' }
  const { manifest } = checked
  await checkEvidence(publisher, manifest)
  await checkPages(publisher, checked)
  const decision = run.accepted ? undefined : await askGuards(publisher, run, { manifest, before })
  const { refusal, guarded } = decision ?? {}
  if (refusal && guarded) {
    await writeOnce(publisher, refusedKey(entity, runId), manifest)
    return { kind: 'refused', reason: refusal.reason, guarded }
  }
  const sha256 = await writeOnce(publisher, manifestKey(entity, runId), manifest)
  const latest = await moveLatest(publisher, manifest, sha256)
  if (latest.runId !== runId) return { kind: 'superseded', by: latest.runId }
  return { ...(await follow(publisher, latest, manifest)), guarded }
}

/** Whether this is what a person has reviewed. A check that ended late may have stored another manifest. */
async function isRefused(publisher: Publisher, { manifest }: CheckedRun): Promise<boolean> {
  const refused = await readManifest(publisher, refusedKey(manifest.entity, manifest.runId))
  return isDeepStrictEqual(refused, manifest)
}

/** Moves what follows `latest.json`. */
async function follow(
  publisher: Publisher,
  latest: Latest,
  manifest: Manifest,
): Promise<Extract<PublishResult, { kind: 'published' }>> {
  await moveTable(publisher, manifest)
  const counts = pick(manifest, 'documents', 'uniqueIds', 'proof', 'withoutId', 'idField')
  return { kind: 'published', latest, manifest: counts, guarded: undefined }
}

/** What the guards decide, and what they decided on. */
async function askGuards(
  publisher: Publisher,
  run: PublishingRun,
  { manifest, before }: { readonly manifest: Manifest; readonly before: Published | undefined },
): Promise<{ readonly refusal: GuardRefusal | undefined; readonly guarded: GuardDecision }> {
  const { uniqueIds } = manifest
  const refusal = refusalOf({
    manifest,
    published: before?.manifest,
    idCandidates: [],
    ...(lacksEveryId(manifest) && {
      published: before && { ...before.manifest, ...(await countedWithoutId(publisher, before)) },
      idCandidates: possibleIdFields((await firstPage(publisher, manifest)).lines),
    }),
    limits: run.kind === 'full' ? run.plan : run.limits,
    acceptShrink: run.acceptShrink,
  })
  const guarded = {
    decidedAt: new Date(publisher.now()).toISOString(),
    uniqueIds,
    ...(before && { publishedIds: before.manifest.uniqueIds }),
    ...(refusal && { refusedBy: refusal.key }),
  }
  return { refusal, guarded }
}

/** Version 1.0.0 did not count the documents without an id. The first page shows whether any of them has one. */
async function countedWithoutId(
  publisher: Publisher,
  { stored }: Published,
): Promise<Pick<Manifest, 'withoutId'> | undefined> {
  if (!stored || stored.withoutId !== undefined) return undefined
  const { lines, withoutId } = await firstPage(publisher, stored)
  return lines.length > 0 && withoutId === lines.length ? { withoutId: stored.documents } : undefined
}

async function firstPage({ objects }: Publisher, { pages: [first], idField }: Manifest) {
  const object = first && (await objects.read(first.key))
  if (!object) return { lines: [], withoutId: 0 }
  const { text, withoutId } = readLines(object.bytes, idField)
  return { lines: text.toString().trimEnd().split('\n'), withoutId }
}

/** What an older release refused or published has no evidence. */
async function checkEvidence({ objects }: Publisher, { evidence }: Manifest): Promise<void> {
  if (!evidence) return
  const stored = (await objects.read(evidence.key))?.bytes ?? Buffer.alloc(0)
  const sha256 = hash('sha256', stored)
  if (sha256 !== evidence.sha256)
    throw new Damaged(`${evidence.key} has the SHA-256 ${sha256}; ${evidence.sha256} was stored.`)
}

/** Each page is still what was checked: its object has that ETag, or else the hash of the manifest. */
async function checkPages(publisher: Publisher, { manifest, etags }: CheckedRun): Promise<void> {
  const { objects } = publisher
  const { entity, runId, pages, idField } = manifest
  const stored = await listObjects(publisher, runPrefix(entity, runId))
  for (const [index, page] of pages.entries()) {
    const found = stored.get(page.key)
    if (found?.bytes === page.bytes && found.etag === etags[index]) continue
    checkPage((await objects.read(page.key))?.bytes, { page, idField, received: undefined })
  }
}
