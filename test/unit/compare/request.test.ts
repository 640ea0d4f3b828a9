import { describe, expect, it } from 'vitest'
import { readTask } from '../../../functions/compare/request.ts'

const run = { entity: 'CL', runId: 'run-1' }
const detail = { entity: 'CL', acceptDeletes: true }

describe('the input of an execution', () => {
  it.each([
    ['itself', detail, true],
    ['the detail of an event', { 'detail-type': 'Sync', source: 'x', detail }, true],
    ['without the member', { entity: 'CL' }, false],
    ['not an object', 'CL', undefined],
  ])('says whether deletes are accepted: %s', (_, input, acceptDeletes) => {
    const event = { task: 'compare', input, run }
    if (acceptDeletes === undefined) expect(() => readTask(event)).toThrow('The input is not valid')
    else expect(readTask(event)).toEqual({ task: 'compare', request: { ...run, acceptDeletes } })
  })
})
