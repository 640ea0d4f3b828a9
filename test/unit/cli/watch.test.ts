import { expect, it } from 'vitest'
import { remarkOn } from '../../../cli/sync/watch.ts'

const run = {
  status: 'running',
  reason: null,
  attempt: 1,
  documentsPerSecond: 1234.5,
  secondsLeft: 90,
} as const

it('shows speed and time left while the run is running', () => {
  expect(remarkOn(run)).toEqual({ state: '', pace: '1,235/s, 1 min left' })
  expect(remarkOn({ ...run, documentsPerSecond: null, secondsLeft: null })).toEqual({ state: '', pace: '' })
})

it('shows why a run waits, and its attempt', () => {
  expect(remarkOn({ ...run, status: 'waiting', reason: 'No free slot.', attempt: 2 })).toEqual({
    state: 'attempt 2, waiting, No free slot.',
    pace: '',
  })
})
