import { expect, it } from 'vitest'
import { pauseInForce, pauseOf, pauseText } from '../../../stored/pause.ts'

const end = '2026-11-21T12:00:00.000Z'
const pause = { by: 'user/ana', since: '2026-11-20T12:00:00.000Z', reason: null, until: end }
const now = Date.parse(end)

it('is in force until its end, or until somebody ends it', () => {
  expect(pauseInForce({}, now)).toBeUndefined()
  expect(pauseInForce({ pause }, now - 1)).toBe(pause)
  expect(pauseInForce({ pause }, now)).toBeUndefined()
  const endless = { ...pause, until: null }
  expect(pauseInForce({ pause: endless }, now)).toBe(endless)
})

it('is none of an entity that has no schedule', () => {
  expect(pauseOf({ enabled: true }, { pause }, now - 1)).toBe(pause)
  expect(pauseOf({ enabled: false }, { pause }, now - 1)).toBeUndefined()
})

it.each([
  [{ until: null }, 'CL has been paused by user/ana since 2026-11-20 12:00 UTC.'],
  [
    { reason: 'migration...' },
    'CL has been paused by user/ana since 2026-11-20 12:00 UTC, until 2026-11-21 12:00 UTC: migration.',
  ],
])('is described with what is known of it: %j', (change, text) => {
  expect(pauseText('CL', { ...pause, ...change })).toBe(text)
})
