import { expect, it } from 'vitest'
import { watchRun } from '../../../../cli/sync/watch.ts'
import { Interrupted } from '../../../../operator/errors.ts'
import { noPause } from '../../../pauses.ts'

/** Watches a run that has these states, one per poll. The signal is aborted with the last one. */
async function watch(statuses: readonly string[], isInterrupted: boolean) {
  const controller = new AbortController()
  const left = [...statuses]
  const shown: string[] = []
  const syncs = {
    async readRun(entity: string, runId: string) {
      const status = left.shift() ?? expect.fail('read once more')
      if (isInterrupted && left.length === 0) controller.abort()
      return { entity, runId, status, documents: 1, total: 1, attempt: 1, partitions: null, reason: null }
    },
  }
  const bars = {
    show: ([bar]: readonly { title: string }[]) => void shown.push(bar?.title ?? ''),
    end: () => void shown.push('end'),
  }
  const terminal = { progressBars: () => bars }
  const options = { syncs, terminal, pause: noPause, signal: controller.signal } as never
  const end = await watchRun(options, { entity: 'CL', runId: 'r' }).catch((error: unknown) => error)
  return { end, shown }
}

it.each(['published', 'refused', 'failed', 'cancelled', 'skipped'])(
  'shows the progress of a run until it is %s',
  async (status) => {
    const { end, shown } = await watch(['waiting', 'running', status], false)
    expect(end).toMatchObject({ status })
    expect(shown).toEqual(['CL', 'CL', 'CL', 'end'])
  },
)

it('stops at once when it is interrupted, and leaves the run alone', async () => {
  const { end, shown } = await watch(['running'], true)
  expect(end).toEqual(new Interrupted('Stopped watching. Run r of CL continues.'))
  expect(shown).toEqual(['CL', 'end'])
})
