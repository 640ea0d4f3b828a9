import { createHash } from 'node:crypto'
import { publishing } from '../../../stored/run/run-changes.ts'
import { republishedManifest, resultOfManifest, runPrefix } from '../../../stored/snapshots/manifest.ts'
import { mapPooled } from '../../runtime/map-pooled.ts'
import type { AttemptContext } from '../context.ts'
import type { StepResponse } from '../response.ts'
import { endUnpublished, handOff, publishAndEnd } from './end.ts'
import type { RunSession } from './session.ts'

const maxConcurrentCopies = 8
/** Between two renewals of the lease. */
const batchPages = 64

/**
 * Publishes copies of a kept snapshot's pages as a new run. The publisher compares them with the manifest. Guards and
 * comparison treat it like any other snapshot.
 */
export async function republish(context: AttemptContext, session: RunSession): Promise<StepResponse> {
  const { snapshots, now, invocation } = context
  const { run } = session
  if (run.kind !== 'republication') throw new Error(`The run ${run.runId} republishes nothing.`)
  const { entity, runId, republishedFrom: from } = run
  const source = await snapshots.readManifest(entity, from)
  if (!source)
    return endUnpublished(context, session, { reason: `The snapshot of run ${from} is no longer kept.` })
  const manifest = republishedManifest(source, session.run)
  const stored = new Set(await Array.fromAsync(snapshots.listKeys(runPrefix(entity, runId))))
  const missing = manifest.pages
    .map(({ key }, index) => ({ key, from: source.pages[index]?.key ?? '' }))
    .filter(({ key }) => !stored.has(key))
  for (let at = 0; at < missing.length; at += batchPages) {
    if (now() >= invocation.handOffAt) return handOff(session)
    const batch = missing.slice(at, at + batchPages)
    const gone = await mapPooled(batch, maxConcurrentCopies, async (page) => {
      const body = await snapshots.readPage(page.from)
      if (!body) return page.from
      await snapshots.putPage(page.key, body, createHash('sha256').update(body).digest())
      return undefined
    })
    const key = gone.find((one) => one !== undefined)
    if (key !== undefined)
      return endUnpublished(context, session, { reason: `The page ${key} of the snapshot is gone.` })
    await session.renew()
  }
  await session.change((current) => publishing(current, resultOfManifest(manifest), now()))
  return publishAndEnd(context, session)
}
