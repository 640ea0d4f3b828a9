import { describe, expect, it } from 'vitest'
import { readTask } from '../../../functions/compare/request.ts'

const run = { entity: 'CL', runId: 'run-1' }
const detail = { entity: 'CL', acceptDeletes: true }

describe('the input of an execution', () => {
  it.each([
    ['itself', detail, true],
    ['the detail of an event', { 'detail-type': 'Sync', source: 'x', detail }, true],
    ['without the member', { entity: 'CL' }, false],
  ])('says whether deletes are accepted: %s', (_, input, acceptDeletes) => {
    expect(readTask({ task: 'compare', input, run })).toEqual({
      task: 'compare',
      request: { ...run, acceptDeletes },
    })
  })

  it('must be an object', () => {
    expect(() => readTask({ task: 'compare', input: 'CL', run })).toThrow('The input is not valid')
  })
})
