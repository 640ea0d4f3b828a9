import { expect, it } from 'vitest'
import { readTime, readUntil } from '../../../../operator/text/time.ts'

/** A Tuesday. */
const now = Date.parse('2026-11-24T02:03:04.005Z')

it.each([
  ['3d', '2026-11-21T02:03:04.005Z'],
  ['12h', '2026-11-23T14:03:04.005Z'],
  ['90min', '2026-11-24T00:33:04.005Z'],
  ['30m', '2026-11-24T01:33:04.005Z'],
  ['1w', '2026-11-17T02:03:04.005Z'],
  ['now', '2026-11-24T02:03:04.005Z'],
  ['yesterday', '2026-11-23T23:59:59.999Z'],
  ['0d', '2026-11-24T02:03:04.005Z'],
  ['2026-11-17', '2026-11-17T23:59:59.999Z'],
  ['2024-02-29', '2024-02-29T23:59:59.999Z'],
  ['2026-11-17T14:00', '2026-11-17T14:00:00.000Z'],
  ['2026-11-17 14:00:05', '2026-11-17T14:00:05.000Z'],
  ['2026-11-17T14:00:05.250Z', '2026-11-17T14:00:05.250Z'],
  ['2026-11-17T14:00+02:00', '2026-11-17T12:00:00.000Z'],
  ['sunday', '2026-11-22T23:59:59.999Z'],
  ['monday', '2026-11-23T23:59:59.999Z'],
  ['Tuesday', '2026-11-17T23:59:59.999Z'],
  ['wednesday', '2026-11-18T23:59:59.999Z'],
])('reads %s as %s', (text, expected) => expect(new Date(readTime(text, now)).toISOString()).toBe(expected))

it.each([
  ...'d 3 3y 3dd x2026-11-17T14:00 2026-11-17T14:00x 123456d tomorrow 2026-02-30'.split(' '),
  ...'2026-02-30T10:00Z 2026-13-01 2026-11-17T25:00 2026-11-17T14 20261117 1795486984005'.split(' '),
  '',
  '3 d',
])('refuses %j with examples', (text) => {
  expect(() => readTime(text, now)).toThrow(
    `--at: '${text}' is not a time. Use a time (2026-11-17T14:00Z), a date (2026-11-17), a weekday (tuesday), yesterday, now or an age (3d, 12h, 30m).`,
  )
})

it.each([
  ['8h', '2026-11-24T10:03:04.005Z'],
  ['2d', '2026-11-26T02:03:04.005Z'],
  ['30m', '2026-11-24T02:33:04.005Z'],
  ['2026-11-24T06:00Z', '2026-11-24T06:00:00.000Z'],
  ['2026-11-24T06:00:30.5+02:00', '2026-11-24T04:00:30.500Z'],
])('reads the end %s as %s', (text, expected) => {
  expect(new Date(readUntil(text, now)).toISOString()).toBe(expected)
})

it.each(['00:00', '6:00', '23:59'])('reads %s as the next such time of the local clock', (text) => {
  const until = readUntil(text, now)
  const [hours, minutes] = text.split(':').map(Number)
  const time = new Date(until)
  expect([time.getHours(), time.getMinutes(), time.getSeconds(), time.getMilliseconds()]).toEqual([
    hours,
    minutes,
    0,
    0,
  ])
  expect(until).toBeGreaterThan(now)
  expect(until).toBeLessThanOrEqual(now + 25 * 3_600_000)
})

it('reads the local time of this minute as that of tomorrow', () => {
  const at = readUntil('06:00', now)
  expect(readUntil('06:00', at)).toBeGreaterThan(at)
})

it.each(['', '8', '24:00', '06:60', 'tomorrow', '2026-11-27', '2026-11-27T06:00', '2026-02-30T06:00Z'])(
  'refuses %j as an end, with examples',
  (text) => {
    expect(() => readUntil(text, now)).toThrow(
      `--until: '${text}' is not a time. Use a duration (8h, 2d), the next local time (06:00) or a time with a zone (2026-11-27T06:00Z).`,
    )
  },
)

it.each(['2026-11-24T02:03:04Z', '0d'])('refuses %s, which is not in the future', (text) => {
  expect(() => readUntil(text, now)).toThrow(`--until: '${text}' is not in the future.`)
})
