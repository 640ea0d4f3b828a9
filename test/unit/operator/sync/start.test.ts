import { expect, it } from 'vitest'
import { runInProgress } from '../../../../operator/sync/current-run.ts'
import { syncInput } from '../../../../operator/sync/start.ts'

const none = { acceptShrink: false, acceptDeletes: false }

it.each([
  [none, { entity: 'CL' }],
  [
    { ...none, acceptShrink: true },
    { entity: 'CL', acceptShrink: true },
  ],
  [
    { ...none, acceptDeletes: true },
    { entity: 'CL', acceptDeletes: true },
  ],
])('the state machine receives only the guards that are overridden (%#)', (request, input) => {
  expect(syncInput('CL', request)).toEqual(input)
})

it('a run whose execution has ended is no longer in progress', () => {
  const run = { runId: 'r' } as never
  expect(runInProgress(run, { kind: 'running' })).toBe(run)
  expect(runInProgress(run, { kind: 'ended', status: 'ABORTED', cause: undefined } as never)).toBeUndefined()
})
