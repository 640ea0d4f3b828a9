import { describe, expect, it } from 'vitest'
import { readRequest } from '../../../functions/worker/request.ts'

const runId = '20261121T051800123Z-0123456789ab'
const execution = { id: 'arn:execution', startedAt: '2026-11-21T05:18:00.123Z' }
const startedAt = Date.UTC(2026, 10, 21, 5, 18, 0, 123)
const step = (change: object = {}) => ({ task: 'step', input: { entity: 'CL' }, execution, ...change })
const plain = {
  task: 'step',
  entity: 'CL',
  acceptShrink: false,
  runId: undefined,
  execution: undefined,
  error: undefined,
}
const ofStep = { ...plain, execution: { id: 'arn:execution', startedAt } }

describe('what the worker is called with', () => {
  it.each<[string, unknown, object]>([
    ['a person', { entity: 'CL' }, plain],
    ['a person who accepts a shrink', { entity: 'CL', acceptShrink: true }, { ...plain, acceptShrink: true }],
    ['a person who goes on with a run', { entity: 'CL', runId }, { ...plain, runId }],
    ['a rule of EventBridge', { source: 'x', 'detail-type': 'Sync', detail: { entity: 'CL' } }, plain],
    ['the state machine', step(), ofStep],
    [
      'the state machine, for a run that was promised',
      step({ input: { entity: 'CL', runId } }),
      { ...ofStep, runId },
    ],
    [
      'the state machine, to publish in spite of the guard',
      step({ input: { entity: 'CL', acceptShrink: true } }),
      { ...ofStep, acceptShrink: true },
    ],
    [
      'the state machine, started by a rule',
      step({ input: { 'detail-type': 'Sync', detail: { entity: 'CL' } } }),
      ofStep,
    ],
    ['the state machine, with more than we know', step({ later: 1 }), ofStep],
    [
      'the failure handler',
      step({ task: 'record-failure', error: { Error: 'States.Timeout', Cause: '' } }),
      { ...ofStep, task: 'record-failure', error: { Error: 'States.Timeout', Cause: '' } },
    ],
    [
      'the failure handler without an error',
      step({ task: 'record-failure' }),
      { ...ofStep, task: 'record-failure' },
    ],
  ])('%s', (_, event, request) => {
    expect(readRequest(event)).toEqual({ request })
  })

  it.each([
    ['ISO 8601', '2026-11-21T05:18:00.123Z'],
    ['ISO 8601 with another zone', '2026-11-21T07:18:00.123+02:00'],
    ['milliseconds', startedAt],
    ['seconds', startedAt / 1000],
  ])('understands the start time as %s', (_, time) => {
    const read = readRequest(step({ execution: { id: 'arn:execution', startedAt: time } }))
    expect(read).toEqual({ request: ofStep })
  })
})

describe('a mistake is named with what would be right', () => {
  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /the input/],
    ['null', null, /the input/],
    ['a string', 'CL', /the input/],
    ['an array', [{ entity: 'CL' }], /entity|the input/],
    ['no entity', {}, /\(entity\)/],
    ['an entity that is no string', { entity: 7 }, /\(entity\)/],
    ['a shrink that is no boolean', { entity: 'CL', acceptShrink: 'true' }, /\(acceptShrink\)/],
    ['an unknown key', { entity: 'CL', acceptShrinks: true }, /\(acceptShrinks\)/],
    ['a run id that is none', { entity: 'CL', runId: 'latest' }, /\(runId\)/],
    ['a run id with something around it', { entity: 'CL', runId: `${runId}/../x` }, /\(runId\)/],
    ['two at once', { entity: 7, acceptShrink: 1 }, /\(entity, acceptShrink\)/],
    ['a step without input', step({ input: undefined }), /the input/],
    ['a step whose input is wrong', step({ input: { entity: [] } }), /\(entity\)/],
    ['a step without execution', { task: 'step', input: { entity: 'CL' } }, /entity/],
    ['an unknown task', step({ task: 'publish' }), /entity/],
    ['a rule without the entity', { 'detail-type': 'Sync', detail: {} }, /\(entity\)/],
  ])('%s', (_, event, named) => {
    const read = readRequest(event)
    expect(read).toEqual({ mistake: expect.stringMatching(named) })
    expect(read).toEqual({ mistake: expect.stringContaining('expected {"entity": "NAME"}') })
  })
})
