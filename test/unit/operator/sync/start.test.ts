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

const run = { runId: 'r' } as never
it.each([
  ['is running', { kind: 'running' }, run],
  ['has ended', { kind: 'ended', status: 'ABORTED', cause: undefined }, undefined],
  ['does not exist, as for a direct invocation of the worker', undefined, run],
] as const)('a run whose execution %s is in progress or not', (_, execution, expected) => {
  expect(runInProgress(run, execution)).toBe(expected)
})
