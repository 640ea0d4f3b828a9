import { expect, it } from 'vitest'
import { pollIntervalMs } from '../../../../operator/sync/poll-interval.ts'

it.each([
  [0, 250],
  [1, 500],
  [2, 1000],
  [3, 1000],
  [5000, 1000],
])('after %i polls waits %i ms', (polls, ms) => expect(pollIntervalMs(polls)).toBe(ms))
