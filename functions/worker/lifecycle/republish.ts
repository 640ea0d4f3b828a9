import { createHash } from 'node:crypto'
import { mapPooled } from '../../runtime/map-pooled.ts'
import type { ActiveRun } from '../../state/run/run.ts'
import { publishing } from '../../state/run/run-changes.ts'
import { resultOfManifest } from '../../state/snapshots/acceptable.ts'
import { type ManifestPage, republishedManifest, runPrefix } from '../../state/snapshots/manifest.ts'
import type { AttemptContext } from '../context.ts'
import { publish } from '../publish/publish.ts'
import { runningResponse, type StepResponse } from '../response.ts'
import { endRun, failRun } from './end.ts'
import type { RunSession } from './session.ts'

const maxConcurrentCopies = 8
/** Between two renewals of the lease. */
const batchPages = 64

/** Publishes copies of a kept snapshot's pages as a new run. Guards and comparison treat it like any other snapshot. */
export async function republish(context: AttemptContext, session: RunSession): Promise<StepResponse> {
  const { snapshots, now, invocation } = context
  const { run } = session
  if (run.kind !== 'republication') throw new Error(`The run ${run.runId} republishes nothing.`)
  const { entity, runId, republishedFrom: from } = run
  const source = await snapshots.readManifest(entity, from)
  if (!source) return failRun(context, session, `The snapshot of run ${from} is no longer kept.`)
  const manifest = republishedManifest(source, session.run)
  const stored = new Set(await Array.fromAsync(snapshots.listKeys(runPrefix(entity, runId))))
  const missing = manifest.pages
    .map((page, index) => ({ page, from: source.pages[index]?.key ?? '' }))
    .filter(({ page }) => !stored.has(page.key))
  for (let at = 0; at < missing.length; at += batchPages) {
    if (now() >= invocation.handOffAt) return handOff(session)
    const copied = await mapPooled(missing.slice(at, at + batchPages), maxConcurrentCopies, (copy) =>
      copyPage(context, copy),
    )
    const damaged = copied.find((problem) => problem !== undefined)
    if (damaged) return failRun(context, session, damaged)
    await session.renew()
  }
  const proven = await session.change((run: ActiveRun) => publishing(run, resultOfManifest(manifest), now()))
  return endRun(
    context,
    session,
    await publish(context, proven, { entity: session.entity, count: undefined }),
  )
}

async function handOff(session: RunSession): Promise<StepResponse> {
  await session.handOff(session.run, 0)
  return runningResponse(session.run)
}

interface Copy {
  readonly page: ManifestPage
  /** Key of the object to copy. */
  readonly from: string
}

/** Why a page cannot be copied; undefined once it is. */
async function copyPage(
  { snapshots }: Pick<AttemptContext, 'snapshots'>,
  { page, from }: Copy,
): Promise<string | undefined> {
  const body = await snapshots.readPage(from)
  if (!body) return `The page ${from} of the snapshot is gone.`
  const digest = createHash('sha256').update(body).digest()
  if (digest.toString('hex') !== page.sha256) return `The page ${from} of the snapshot is damaged.`
  await snapshots.putPage(page.key, body, digest)
  return undefined
}
