import { createServer } from 'node:http'
import { expect, it, onTestFinished, test } from 'vitest'
import { createClockPage } from '../../../local/clock/clock-page.ts'
import { LocalClock } from '../../../local/clock/local-clock.ts'
import { passTime } from '../../../local/clock/pass-time.ts'
import { listen } from '../../../local/embedded/listen.ts'
import { Scheduler } from '../../../local/schedules/scheduler.ts'

const hourMs = 60 * 60_000

it('stops where a wait ends and where a schedule is due for the last time, in the order of time', async () => {
  const startsAt = Date.now()
  const clock = new LocalClock(0)
  onTestFinished(clock.undo)
  const events: string[] = []
  const hours = () => Math.round((Date.now() - startsAt) / hourMs)
  const schedule = (expression: string) => ({
    expression,
    timezone: 'UTC',
    startsAt,
    start: async () => void events.push(`${expression} after ${hours()} h`),
  })
  const schedules = ['rate(1 hour)', 'rate(5 hours)'].map(schedule)
  const scheduler = new Scheduler({ schedules, ranUntil: startsAt, onRun: () => undefined })
  const waits = (async () => {
    for (const wait of [2, 4, 40]) {
      await clock.sleep(wait * hourMs)
      events.push(`waited until ${hours()} h`)
    }
  })()
  await passTime({ clock, scheduler, stateMachine: { rest: async () => undefined } }, 8.5 * hourMs)
  expect(events).toEqual([
    'waited until 2 h',
    'rate(5 hours) after 5 h',
    'waited until 6 h',
    'rate(1 hour) after 8 h',
  ])
  clock.advanceTo(Date.now() + 40 * hourMs)
  await waits
  expect(new Date() > new Date(startsAt + 48 * hourMs)).toBe(true)
})

test.each([
  [{ platform: 'stand-in', token: 't', method: 'POST' }, [200, 'Moved.']],
  [{ platform: 'stand-in', token: 'other', method: 'POST' }, [403, 'Forbidden.']],
  [{ platform: 'stand-in', token: 't', method: 'PUT' }, [405, 'Use POST.']],
  [{ platform: 'real', token: 't', method: 'POST' }, [409, 'The clock of a real platform cannot be moved.']],
] as const)('%j is answered by %j', async ({ platform, token, method }, expected) => {
  const moves: number[] = []
  const page = createClockPage({ token: 't', platform, passTime: async (ms) => void moves.push(ms) })
  const served = await listen(createServer((request, response) => void page.respond(request, response)))
  onTestFinished(() => served.close())
  const response = await fetch(served.endpoint, moveRequest(method, token))
  const { message } = (await response.json()) as { message: string }
  expect([response.status, message]).toEqual(expected)
  expect(moves).toEqual(expected[0] === 200 ? [60_000] : [])
})

const moveRequest = (method: string, token: string): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${token}` },
  body: '{"ms":60000}',
})
