import { describe, expect, it } from 'vitest'
import { readDefinition } from '../../../local/states/definition.ts'
import { type ExecutionIo, startExecution } from '../../../local/states/execution.ts'

const context = {
  Execution: { Id: 'id', Name: 'name', StartTime: '2026-11-22T00:00:00.000Z', Input: { entity: 'CL' } },
}
const retrier = {
  ErrorEquals: ['Throttled'],
  IntervalSeconds: 2,
  BackoffRate: 2,
  MaxDelaySeconds: 5,
  MaxAttempts: 3,
  JitterStrategy: 'FULL',
}

const task = {
  Type: 'Task',
  Resource: 'r',
  Parameters: {},
  TimeoutSeconds: 930,
  Retry: [retrier],
  Catch: [],
  Next: 'Done',
}
const map = {
  Type: 'Map',
  ItemsPath: '$.items',
  MaxConcurrency: 2,
  ItemSelector: { 'item.$': '$$.Map.Item.Value', 'entity.$': '$.entity' },
  ItemProcessor: {
    ProcessorConfig: { Mode: 'INLINE' },
    StartAt: 'Each',
    States: { Each: { Type: 'Task', Resource: 'r', TimeoutSeconds: 930, Retry: [retrier], End: true } },
  },
  ResultPath: '$.results',
  Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Done' }],
  Next: 'Done',
}
const definition = (States: object) => ({
  Comment: 'A test',
  StartAt: Object.keys(States)[0],
  TimeoutSeconds: 3600,
  States,
})

/** Runs a definition whose tasks return these results in order. Errors are thrown. */
function run(States: object, results: readonly unknown[] = []) {
  const payloads: unknown[] = []
  const sleeps: number[] = []
  const io: ExecutionIo = {
    async invoke(_resource, payload) {
      payloads.push(payload)
      const result = results[payloads.length - 1]
      if (result instanceof Error) throw result
      return result
    },
    async sleep(ms) {
      sleeps.push(ms)
    },
    random: () => 0.5,
  }
  return { ...startExecution(readDefinition(definition(States)), context, io), payloads, sleeps }
}

const failure = (name: string) => Object.assign(new Error('why'), { name })
const done = { Type: 'Succeed' }

describe('an execution', () => {
  it('passes the values at paths to a task and continues with its result', async () => {
    const Parameters = { task: 'step', 'input.$': '$$.Execution.Input', nested: { 'name.$': '$.entity' } }
    const { outcome, payloads } = run({ A: { ...task, Parameters }, Done: done }, [{ status: 'published' }])
    expect(await outcome).toEqual({ status: 'SUCCEEDED', output: '{"status":"published"}' })
    expect(payloads).toEqual([{ task: 'step', input: { entity: 'CL' }, nested: { name: 'CL' } }])
  })

  it('keeps the input with a ResultPath of null', async () => {
    const { outcome } = run({ A: { ...task, ResultPath: null }, Done: done }, [{ dropped: true }])
    expect(await outcome).toMatchObject({ output: '{"entity":"CL"}' })
  })

  it('retries an error by its name with full jitter up to the maximum delay, then catches it', async () => {
    const Catch = [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Failed' }]
    const { outcome, sleeps } = run(
      { A: { ...task, Catch }, Done: done, Failed: { Type: 'Fail', Error: 'E', CausePath: '$.error.Cause' } },
      [failure('Throttled'), failure('Throttled'), failure('Throttled'), failure('Throttled')],
    )
    expect(await outcome).toEqual({ status: 'FAILED', error: 'E', cause: 'why' })
    expect(sleeps).toEqual([1000, 2000, 2500])
  })

  const items = { ...task, ResultPath: '$.items', Next: 'B' }

  it('invokes the task of a map with each item, and continues with the results in the order of the items', async () => {
    const { outcome, payloads } = run({ A: items, B: map, Done: done }, [['x', 'y', 'z'], 1, 2, 3])
    expect(await outcome).toMatchObject({ output: '{"entity":"CL","items":["x","y","z"],"results":[1,2,3]}' })
    expect(payloads.slice(1)).toEqual(['x', 'y', 'z'].map((item) => ({ item, entity: 'CL' })))
  })

  it('catches the error of an item whose retries are used up, and begins no further items', async () => {
    const { outcome, payloads } = run({ A: items, B: { ...map, MaxConcurrency: 1 }, Done: done }, [
      ['x', 'y'],
      failure('Throttled'),
      failure('Throttled'),
      failure('Throttled'),
      failure('Throttled'),
    ])
    expect(await outcome).toMatchObject({ output: expect.stringContaining('"error":{"Error":"Throttled"') })
    expect(payloads).toHaveLength(5)
  })

  it('adds the error to the input where it is caught', async () => {
    const Catch = [{ ErrorEquals: ['Other'], ResultPath: '$.error', Next: 'Done' }]
    const { outcome } = run({ A: { ...task, Catch }, Done: done }, [failure('Other')])
    expect(await outcome).toMatchObject({ output: '{"entity":"CL","error":{"Error":"Other","Cause":"why"}}' })
  })

  it('counts the attempts of each retrier separately', async () => {
    const Retry = [
      { ...retrier, MaxAttempts: 1 },
      { ...retrier, ErrorEquals: ['States.ALL'], MaxAttempts: 1 },
    ]
    const { outcome } = run({ A: { ...task, Retry }, Done: done }, [
      failure('Throttled'),
      failure('Other'),
      {},
    ])
    expect(await outcome).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('fails with the name of an error that is neither retried nor caught', async () => {
    const { outcome } = run({ A: task }, [failure('Other')])
    expect(await outcome).toEqual({ status: 'FAILED', error: 'Other', cause: 'why' })
  })

  it.each([
    [
      'a comparison',
      { Type: 'Choice', Choices: [{ Variable: '$.x', StringEquals: 'x', Next: 'A' }], Default: 'A' },
    ],
    ['a cause', { Type: 'Fail', Error: 'E', CausePath: '$.x' }],
  ])('fails with States.Runtime if %s refers to a value that does not exist', async (_what, state) => {
    expect(await run({ A: state }).outcome).toMatchObject({ status: 'FAILED', error: 'States.Runtime' })
  })

  it('fails if a template refers to a value that does not exist', async () => {
    const { outcome } = run({ A: { ...task, Parameters: { 'x.$': '$.x' } } })
    expect(await outcome).toMatchObject({ error: 'States.ParameterPathFailure' })
  })

  it('waits for the seconds at a path', async () => {
    const { outcome, sleeps } = run(
      {
        A: { ...task, Next: 'B' },
        B: { Type: 'Wait', SecondsPath: '$.waitSeconds', Next: 'Done' },
        Done: done,
      },
      [{ waitSeconds: 7 }],
    )
    await outcome
    expect(sleeps).toEqual([7000])
  })

  it('ends as ABORTED at once and ignores the task that is running', async () => {
    const execution = run({ A: { ...task, Next: 'A' } }, [{}])
    execution.abort()
    expect(await execution.outcome).toEqual({ status: 'ABORTED' })
    expect(execution.payloads.length).toBeLessThanOrEqual(1)
  })
})

it.each([
  ['with an unsupported state type', { Type: 'Parallel', Next: 'A' }, 'Parallel'],
  ['with an unsupported field', { ...task, ResultSelector: {} }, 'ResultSelector'],
  [
    'with an unsupported mode of a map',
    { ...map, ItemProcessor: { ...map.ItemProcessor, ProcessorConfig: { Mode: 'DISTRIBUTED' } } },
    'DISTRIBUTED',
  ],
  ['with a retry without jitter', { ...task, Retry: [{ ...retrier, JitterStrategy: 'NONE' }] }, 'NONE'],
  [
    'with an unsupported comparison',
    { Type: 'Choice', Choices: [{ Variable: '$', NumericEquals: 1, Next: 'A' }], Default: 'A' },
    'NumericEquals',
  ],
])('a definition is refused: %s', (_with, state, problem) => {
  expect(() => readDefinition(definition({ A: state }))).toThrow(problem)
})
