import { expect, it } from 'vitest'
import { endedIncrement, startedIncrement } from '../../../../cli/sync/increment-results.ts'
import { runIdOfExecution } from '../../../../functions/state/run/run.ts'
import { awaitIncrement, type IncrementOutcome } from '../../../../operator/sync/increment.ts'
import type { StartSyncOptions } from '../../../../operator/sync/start.ts'
import { noPause } from '../../../pauses.ts'

const target = { kind: 'stacks', config: undefined, name: 'Shop' } as const
const increment = { entity: 'CL', runId: 'r' }

it.each<[ended: IncrementOutcome, ok: boolean, text: string]>([
  [
    { ...increment, status: 'published', records: 1200 },
    true,
    'Delivered 1,200 records of CL. To read them: npx --no-install longshore pull CL --update --name Shop',
  ],
  [
    { ...increment, status: 'published', records: 0 },
    true,
    'Nothing new in CL: the window of increment r is complete.',
  ],
  [
    { ...increment, status: 'skipped', reason: 'A full sync is in progress.' },
    false,
    'The increment r of CL ended as skipped: A full sync is in progress.',
  ],
])('the result of %j is its text', (ended, ok, text) => {
  expect(endedIncrement(ended, target)).toEqual({ ok, text, data: ended })
})

it('names the command that shows how an increment ended', () => {
  expect(startedIncrement('CL', target)).toEqual({
    ok: true,
    text: 'Started an increment of CL. To see its result: npx --no-install longshore status --name Shop',
    data: { entity: 'CL' },
  })
})

const execution = { id: 'arn:aws:states:eu-west-1:1:execution:m:4f2e', startedAt: 0 }

/** How an execution ended that recorded these increments. */
function awaited(runs: readonly object[], last: object | null = null) {
  const states = [{ kind: 'running' }, { kind: 'ended', status: 'SUCCEEDED', cause: undefined }]
  const options = {
    executions: { read: async () => states.shift() },
    syncs: { listIncrements: async () => runs, read: async () => ({ increments: { last } }) },
    pause: noPause,
    signal: new AbortController().signal,
  } as unknown as StartSyncOptions
  return awaitIncrement(options, 'CL', execution)
}

const runId = runIdOfExecution(execution)

it('finds an increment by its execution', async () => {
  const other = { runId: '20261121T120000000Z-0123456789ab', status: 'published', increment: { records: 1 } }
  expect(await awaited([other, { runId, status: 'published', increment: { records: 7 } }])).toEqual({
    entity: 'CL',
    runId,
    status: 'published',
    records: 7,
  })
  expect(await awaited([{ runId, status: 'failed', reason: 'No total.' }])).toMatchObject({
    status: 'failed',
    reason: 'No total.',
  })
})

it('finds one that found nothing new by the status of the entity', async () => {
  expect(await awaited([], { runId, status: 'published', reason: null })).toMatchObject({ records: 0 })
  await expect(awaited([], { runId: 'other', status: 'published', reason: null })).rejects.toThrow(
    'ended as SUCCEEDED without an increment.',
  )
})
