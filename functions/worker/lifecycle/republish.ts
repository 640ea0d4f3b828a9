import { publishing } from '../../state/run/run-changes.ts'
import { resultOfManifest } from '../../state/snapshots/acceptable.ts'
import { republishedManifest, runPrefix } from '../../state/snapshots/manifest.ts'
import type { AttemptContext } from '../context.ts'
import type { StepResponse } from '../response.ts'
import { checkPages } from './check-pages.ts'
import { failRun, handOff, publishRun } from './end.ts'
import type { RunSession } from './session.ts'

/** Publishes copies of a kept snapshot's pages as a new run. Guards and comparison treat it like any other snapshot. */
export async function republish(context: AttemptContext, session: RunSession): Promise<StepResponse> {
  const { snapshots, now } = context
  const { run } = session
  if (run.kind !== 'republication') throw new Error(`The run ${run.runId} republishes nothing.`)
  const { entity, runId, republishedFrom: from } = run
  const source = await snapshots.readManifest(entity, from)
  if (!source) return failRun(context, session, { reason: `The snapshot of run ${from} is no longer kept.` })
  const manifest = republishedManifest(source, session.run)
  const stored = new Set(await Array.fromAsync(snapshots.listKeys(runPrefix(entity, runId))))
  const missing = manifest.pages
    .map((page, index) => ({ page, key: source.pages[index]?.key ?? '' }))
    .filter(({ page }) => !stored.has(page.key))
  const copied = await checkPages(context, session, {
    pages: missing,
    use: (page, body, digest) => snapshots.putPage(page.key, body, digest),
  })
  if (copied.kind === 'time-is-up') return handOff(session)
  if (copied.kind === 'damaged') return failRun(context, session, { reason: copied.reason })
  await session.change((run) => publishing(run, resultOfManifest(manifest), now()))
  return publishRun(context, session, 'intact')
}
