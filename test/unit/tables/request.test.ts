import { describe, expect, it } from 'vitest'
import { readTableTask } from '../../../functions/tables/request.ts'

const run = { entity: 'CL', runId: 'run-1' }
const plan = { ...run, plan: 'plan-1' }

it.each<[event: object, task: object]>([
  [
    { task: 'plan-table', run },
    { task: 'plan-table', entity: 'CL' },
  ],
  [
    { task: 'write-chunk', ...plan, chunk: 2 },
    { task: 'write-chunk', entity: 'CL', plan, chunk: 2 },
  ],
  [
    { task: 'commit-table', ...plan, written: [{ status: 'written', name: 'n' }] },
    { task: 'commit-table', entity: 'CL', plan, written: [{ status: 'written', name: 'n' }] },
  ],
  [
    { task: 'record-table-failure', run, error: { Error: 'States.Timeout', Cause: 'late' } },
    { task: 'record-table-failure', ...run, reason: 'The table stopped (States.Timeout): late.' },
  ],
])('a task of the state machine is read from %j', (event, task) => expect(readTableTask(event)).toEqual(task))

describe('a direct invocation', () => {
  it('makes the whole table', () => {
    expect(readTableTask({ entity: 'CL' })).toEqual({ task: 'make-table', entity: 'CL' })
  })

  it.each([[undefined], [{}], [{ entity: 1 }], [{ entity: 'CL', task: 'plan-tables' }], [{ ...run }]])(
    'is refused if it is %j, with the expected form',
    (event) => {
      expect(() => readTableTask(event)).toThrow('The input is not valid: expected {"entity": "NAME"}.')
    },
  )
})
