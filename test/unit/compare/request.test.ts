import { describe, expect, it } from 'vitest'
import { readCompareTask } from '../../../functions/compare/request.ts'

const run = { entity: 'CL', runId: 'run-1' }
const detail = { entity: 'CL', acceptDeletes: true }

describe('the input of an execution', () => {
  it.each([
    ['itself', detail, true],
    ['the detail of an event', { 'detail-type': 'Sync', source: 'x', detail }, true],
    ['without the member', { entity: 'CL' }, false],
    ['not as a boolean', { entity: 'CL', acceptDeletes: 'yes' }, false],
  ])('states whether deletes are accepted: %s', (_, input, acceptDeletes) => {
    expect(readCompareTask({ task: 'compare', input, run })).toEqual({
      task: 'compare',
      request: { ...run, acceptDeletes },
    })
  })

  it.each([
    [{ guard: 'changes' }, 'set'],
    [{ guard: 'snapshot', withChanges: true }, 'snapshot'],
    [{ guard: 'snapshot' }, undefined],
    [{ guard: 'snapshot', withChanges: false }, undefined],
  ])('names who accepted the change set, and not who accepted only a snapshot: %j', (accepts, reviewed) => {
    const acceptance = reviewed && { reviewed, runId: 'run-1', by: 'alice' }
    const input = { entity: 'CL', accept: { runId: 'run-1', ...accepts, by: 'alice' } }
    expect(readCompareTask({ task: 'compare', input, run })).toEqual({
      task: 'compare',
      request: { ...run, acceptDeletes: false, acceptance },
    })
  })

  it('must be an object', () => {
    expect(() => readCompareTask({ task: 'compare', input: 'CL', run })).toThrow('The input is not valid')
  })
})

describe('a direct invocation', () => {
  it.each([
    [{ entity: 'CL' }, { entity: 'CL', runId: undefined, acceptDeletes: false }],
    [
      { entity: 'CL', runId: 'run-1', acceptDeletes: true },
      { ...run, acceptDeletes: true },
    ],
  ])('names the entity: %j', (event, request) => {
    expect(readCompareTask(event)).toEqual({ task: 'compare', request })
  })

  it.each([
    [undefined],
    [{}],
    [{ entity: 1 }],
    [{ entity: 'CL', acceptDeletes: 'yes' }],
    [{ entity: 'CL', runId: 1 }],
  ])('is refused if it is %j, with the expected form', (event) => {
    expect(() => readCompareTask(event)).toThrow(
      'The input is not valid: expected {"entity": "NAME"}, with "acceptDeletes": true to accept deletes.',
    )
  })
})

it.each([
  [
    { Error: 'Sandbox.Timedout', Cause: '{"errorMessage":"Task timed out after 900.00 seconds"}' },
    'The comparison stopped (Sandbox.Timedout): Task timed out after 900.00 seconds.',
  ],
  [{ Error: 'States.Timeout', Cause: 'no JSON' }, 'The comparison stopped (States.Timeout): no JSON.'],
  [{ Error: 'Error', Cause: '{"other":1}' }, 'The comparison stopped (Error): {"other":1}.'],
  [{ Error: 'Error' }, 'The comparison stopped (Error).'],
  ['lost', 'The comparison stopped for an unknown reason.'],
])('the failure that the state machine caught is recorded with its reason: %j', (error, reason) => {
  expect(readCompareTask({ task: 'record-failure', input: detail, run, error })).toEqual({
    task: 'record-failure',
    request: { ...run, acceptDeletes: true },
    reason,
  })
})
