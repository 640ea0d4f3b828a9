import { setTimeout as wait } from 'node:timers/promises'
import { type Bar, progressBars } from '../../cli/shell/progress.ts'
import { partitionsRemark, runBars } from '../../cli/sync/run-bars.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import type { Bundle } from '../bundle.ts'
import { output } from '../output.ts'
import { send } from './request.ts'

/** Syncs an entity and returns the run. Throws if it did not publish. */
export async function syncEntity({ apiUrl }: Bundle, entity: string): Promise<RunView> {
  const { statusUrl } = JSON.parse(await send(apiUrl, `POST /syncs/${entity}`)) as { statusUrl: string }
  const run = await follow(statusUrl)
  if (run.status !== 'published') throw new Error(`The sync ended as ${run.status}: ${run.reason}`)
  output.done(`published ${run.documents.toLocaleString('en')} documents; proof: ${run.proof}`)
  const remark = partitionsRemark(run)
  if (remark) output.failed(remark)
  return run
}

async function follow(statusUrl: string): Promise<RunView> {
  const bars = progressBars(process.stdout)
  try {
    for (;;) {
      const run = (await (await fetch(statusUrl)).json()) as RunView
      bars.show(runBars(run).map(indented))
      if (!['running', 'waiting', 'publishing'].includes(run.status)) return run
      await wait(100)
    }
  } finally {
    bars.end()
  }
}

const indented = (bar: Bar): Bar => ({ ...bar, title: `  ${bar.title}` })
