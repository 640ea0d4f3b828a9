import { describe, expect, it } from 'vitest'
import { scheduledInput } from '../../../functions/runtime/settings-schema/entity-schedules.ts'
import { readWorkerRequest } from '../../../functions/worker/request.ts'
import { runIdOfExecution } from '../../../stored/run/run.ts'
import { fullSync, shrinkingSync } from '../../worker-requests.ts'

const runId = '20261121T051800123Z-0123456789ab'
const repeated = '20261121T050000123Z-0123456789ab'
const execution = { id: 'arn:execution', startedAt: '2026-11-21T05:18:00.123Z' }
const startedAt = Date.UTC(2026, 10, 21, 5, 18, 0, 123)
const step = (change: object = {}) => ({ task: 'step', input: { entity: 'CL' }, execution, ...change })
const stepOf = (input: object) => step({ input: { entity: 'CL', ...input } })
const direct = { entity: 'CL', job: fullSync, driver: { kind: 'direct' } }
const driver = {
  kind: 'step',
  runId: runIdOfExecution({ id: 'arn:execution', startedAt }),
  execution: 'arn:execution',
}
const increment = { kind: 'increment' }
const ofStep = { entity: 'CL', job: fullSync, driver }
const failure = { ...driver, kind: 'record-failure', error: { name: 'unknown', cause: '' } }

describe('the event of the worker', () => {
  it.each<[string, unknown, object]>([
    ['a person', { entity: 'CL' }, direct],
    ['a person with acceptShrink', { entity: 'CL', acceptShrink: true }, { ...direct, job: shrinkingSync }],
    ['a rule of EventBridge', { source: 'x', 'detail-type': 'Sync', detail: { entity: 'CL' } }, direct],
    ['the state machine', step(), ofStep],
    ['the state machine, for the API', stepOf({ runId }), { ...ofStep, driver: { ...driver, runId } }],
    ['a step with acceptShrink', stepOf({ acceptShrink: true }), { ...ofStep, job: shrinkingSync }],
    [
      'a schedule',
      step({ input: scheduledInput('CL', 'full') }),
      { ...ofStep, job: { ...fullSync, scheduled: true } },
    ],
    ['an older schedule', stepOf({ repeat: true }), ofStep],
    [
      'the state machine, before the first step of a scheduled run',
      step({ input: { entity: 'CL', repeat: true }, previous: { entity: 'CL', repeat: true } }),
      ofStep,
    ],
    [
      'the state machine, to repeat a run',
      step({
        previous: { status: 'failed', repeat: { runId, of: repeated, after: repeated, waitSeconds: 300 } },
      }),
      { ...ofStep, driver: { ...driver, runId, repeat: { of: repeated, after: repeated } } },
    ],
    [
      'the state machine, with acceptDeletes',
      stepOf({ acceptDeletes: true }),
      { ...ofStep, job: { ...fullSync, acceptDeletes: true } },
    ],
    [
      'the state machine, by a rule',
      step({ input: { 'detail-type': 'Sync', detail: { entity: 'CL' } } }),
      ofStep,
    ],
    [
      'the state machine, to publish what a guard refused',
      stepOf({ accept: { runId, guard: 'changes', by: 'alice' } }),
      { entity: 'CL', job: { kind: 'accept', guard: 'changes', by: 'alice' }, driver: { ...driver, runId } },
    ],
    [
      'the failure handler of such an execution',
      step({
        task: 'record-failure',
        input: { entity: 'CL', accept: { runId, guard: 'snapshot', by: 'a' } },
      }),
      { entity: 'CL', job: { kind: 'accept', guard: 'snapshot', by: 'a' }, driver: { ...failure, runId } },
    ],
    [
      'a person who accepts a refused snapshot with its change set',
      step({
        task: 'record-failure',
        input: { entity: 'CL', accept: { runId, guard: 'snapshot', withChanges: true, by: 'a' } },
      }),
      {
        entity: 'CL',
        job: { kind: 'accept', guard: 'snapshot', withChanges: true, by: 'a' },
        driver: { ...failure, runId },
      },
    ],
    [
      'the state machine, to publish a snapshot again',
      stepOf({ republish: { runId } }),
      { ...ofStep, job: { kind: 'republish', from: runId, acceptShrink: false, acceptDeletes: false } },
    ],
    ['a person who asks for what changed', { entity: 'CL', increment: true }, { ...direct, job: increment }],
    [
      'the schedule of increments',
      scheduledInput('CL', 'increment'),
      { ...direct, job: { ...increment, scheduled: true } },
    ],
    [
      'the state machine, to ask for what changed',
      stepOf({ runId, increment: true }),
      { ...ofStep, job: increment, driver: { ...driver, runId } },
    ],
    ['the state machine, with unknown fields', step({ later: 1 }), ofStep],
    [
      'the failure handler',
      step({ task: 'record-failure', error: { Error: 'States.Timeout', Cause: 'why' } }),
      { ...ofStep, driver: { ...failure, error: { name: 'States.Timeout', cause: 'why' } } },
    ],
    [
      'the failure handler without a cause',
      step({ task: 'record-failure', error: { Error: 'States.Timeout' } }),
      { ...ofStep, driver: { ...failure, error: { name: 'States.Timeout', cause: '' } } },
    ],
    ['the handler without an error', step({ task: 'record-failure' }), { ...ofStep, driver: failure }],
  ])('is read from %s', (_, event, request) => {
    expect(readWorkerRequest(event)).toEqual({ kind: 'request', request })
  })

  it.each([
    ['ISO 8601', '2026-11-21T05:18:00.123Z'],
    ['ISO 8601 with a time zone', '2026-11-21T07:18:00.123+02:00'],
    ['milliseconds', startedAt],
    ['seconds', startedAt / 1000],
  ])('may have a start time in %s', (_, time) => {
    const read = readWorkerRequest(step({ execution: { id: 'arn:execution', startedAt: time } }))
    expect(read).toEqual({ kind: 'request', request: ofStep })
  })

  it('is invalid if its start time cannot be read', () => {
    const read = readWorkerRequest(step({ execution: { id: 'arn:execution', startedAt: 'yesterday' } }))
    expect(read).toEqual({ kind: 'invalid', reason: expect.stringContaining('start time') })
  })
})

it.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /the input/],
  ['null', null, /the input/],
  ['a string', 'CL', /the input/],
  ['an array', [{ entity: 'CL' }], /entity|the input/],
  ['no entity', {}, /\(entity\)/],
  ['an entity that is not a string', { entity: 7 }, /\(entity\)/],
  ['a shrink that is not a boolean', { entity: 'CL', acceptShrink: 'true' }, /\(acceptShrink\)/],
  ['an unknown key', { entity: 'CL', acceptShrinks: true }, /\(acceptShrinks\)/],
  ['a direct invocation with a repeat', { entity: 'CL', repeat: true }, /\(repeat\)/],
  ['a direct invocation with a run id', { entity: 'CL', runId }, /\(runId\)/],
  ['an acceptance without its guard', stepOf({ accept: { runId, by: 'a' } }), /accept\.guard/],
  [
    'an acceptance of a change set with its change set',
    stepOf({ accept: { runId, guard: 'changes', by: 'a', withChanges: true } }),
    /accept\.withChanges/,
  ],
  ['an acceptance without a name', stepOf({ accept: { runId, guard: 'changes', by: '' } }), /accept\.by/],
  ['no run to publish again', stepOf({ republish: {} }), /republish\.runId/],
  ['a malformed run id', stepOf({ runId: 'latest' }), /\(runId\)/],
  ['a run id with a path', stepOf({ runId: `${runId}/../x` }), /\(runId\)/],
  ['two at once', { entity: 7, acceptShrink: 1 }, /\(entity, acceptShrink\)/],
  ['a step without input', step({ input: undefined }), /the input/],
  ['a step with a wrong input', step({ input: { entity: [] } }), /\(entity\)/],
  ['a step without execution', { task: 'step', input: { entity: 'CL' } }, /entity/],
  ['an unknown task', step({ task: 'publish' }), /entity/],
  ['a rule without the entity', { 'detail-type': 'Sync', detail: {} }, /\(entity\)/],
])('an invalid event is named with what is expected: %s', (_, event, named) => {
  const read = readWorkerRequest(event)
  expect(read).toEqual({ kind: 'invalid', reason: expect.stringMatching(named) })
  expect(read).toEqual({
    kind: 'invalid',
    reason: expect.stringContaining(
      'Expected {"entity": "NAME"}, with "increment": true to ask only for what changed, "acceptShrink": true to publish despite the shrink guard, "acceptDeletes": true to accept deletes, "accept": {"runId", "guard": "snapshot" or "changes", "by"} to publish what a guard refused, ' +
        'for a snapshot with "withChanges": true to publish its change set too, or "republish": {"runId"}',
    ),
  })
})
