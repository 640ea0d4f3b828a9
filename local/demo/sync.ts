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
  for (const line of recoveryOf(run)) output.noted(line)
  const remark = partitionsRemark(run)
  if (remark) output.failed(remark)
  return run
}

/** What the run recovered from, by its own record. */
function recoveryOf({ attempt, suspect, faults }: RunView): string[] {
  const counts = Object.entries(faults).map(([fault, count]) => `${count} × ${fault}`)
  return [
    ...(counts.length > 0 ? [`faults: ${counts.join(', ')}`] : []),
    ...(attempt > 1 ? [`published by attempt ${attempt}`] : []),
    ...(suspect ? ['the attempt was suspect, so every document of the reported total had to be there'] : []),
  ]
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
