import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { resolveConfig } from '../../../lib/config.ts'
import { invoke } from '../../../local/lambda.ts'
import { lastRun } from '../../../local/schedules/last-run.ts'
import { Scheduler } from '../../../local/schedules/scheduler.ts'
import { loadProgress, localSchedules, saveProgress } from '../../../local/schedules/schedules.ts'

const start = Date.parse('2026-11-20T10:20:30Z')
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

test.each<[string, [number, number], string | undefined]>([
  ['rate(1 day)', [start, start + dayMs - 1], undefined],
  ['rate(1 day)', [start, start + dayMs], '2026-11-21T10:20:30.000Z'],
  ['rate(1 day)', [start, start + 7.5 * dayMs], '2026-11-27T10:20:30.000Z'],
  ['rate(5 minutes)', [start, start + 365 * dayMs + minuteMs], '2027-11-20T10:20:30.000Z'],
  ['cron(0 2 * * ? *)', [start, start + hourMs], undefined],
  ['cron(0 2 * * ? *)', [start, start + 7 * dayMs], '2026-11-27T02:00:00.000Z'],
  ['cron(0 2 * * ? *)', [Date.parse('2026-11-21T02:00:00Z'), start + dayMs], undefined],
  ['cron(0 2 29 2 ? *)', [start, start + 2 * 365 * dayMs], '2028-02-29T02:00:00.000Z'],
])('the last run of a schedule: %s', (expression, [after, until], expected) => {
  const time = lastRun({ expression, timezone: 'UTC', startsAt: start }, after, until)
  expect(time && new Date(time).toISOString()).toBe(expected)
})

const entities = [
  { name: 'CL', schedule: 'rate(1 day)', increments: { schedule: 'rate(5 minutes)' } },
  { name: 'AD', schedule: 'cron(0 2 * * ? *)', timezone: 'America/Sao_Paulo' },
  { name: 'OR', schedule: 'rate(1 minute)', enabled: false },
]
const upstream = { baseUrl: 'https://shop.example.com' }

/** The schedules of a configuration, which write down what they start. */
function recorded(more: object = {}) {
  const started: string[] = []
  const record = (what: string, input: unknown) => void started.push(`${what} ${JSON.stringify(input)}`)
  const schedules = localSchedules(resolveConfig({ upstream, entities, ...more }), start, {
    startExecution: (input) => record('execution', input),
    invoke,
    worker: async (input) => record('worker', input),
    compare: async (input) => record('compare', input),
    tables: async (input) => record('tables', input),
  })
  return { schedules, started }
}

const full = (entity: string) =>
  `execution {"entity":"${entity}","repeat":true,"detail-type":"Scheduled Sync","detail":{"entity":"${entity}"}}`
const increment =
  'worker {"entity":"CL","increment":true,"detail-type":"Scheduled Sync","detail":{"entity":"CL","increment":true}}'

describe('the schedules of npm start', () => {
  beforeEach(() => void vi.useFakeTimers({ now: start }))
  afterEach(() => void vi.useRealTimers())

  function run(ranUntil: number, more: object = {}) {
    const { schedules, started } = recorded(more)
    const progress: number[] = []
    const scheduler = new Scheduler({ schedules, ranUntil, onRun: (until) => progress.push(until) })
    onTestFinished(() => scheduler.stop())
    scheduler.run()
    return { started, progress, scheduler }
  }

  it('start nothing before the shortest interval is over', async () => {
    const { started } = run(start)
    await vi.advanceTimersByTimeAsync(5 * minuteMs - 1)
    expect(started).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(started).toEqual([increment])
  })

  it('start each entity as a deployment does, in its time zone, and none that is disabled', async () => {
    const { started } = run(start)
    await vi.advanceTimersByTimeAsync(dayMs)
    const times = Map.groupBy(started, (line) => line)
    expect([...times].map(([line, { length }]) => [line, length])).toEqual([
      [increment, 288],
      [full('AD'), 1],
      [full('CL'), 1],
    ])
  })

  it('erase once a day with eraseWithinDays only', async () => {
    const { started } = run(start, { eraseWithinDays: 30, entities: [] })
    await vi.advanceTimersByTimeAsync(dayMs)
    expect(started).toEqual(['compare {"task":"erase"}', 'tables {"task":"erase"}'])
  })

  it('start once what was due while npm start was not running, in the order of time', async () => {
    vi.setSystemTime(start + 3 * dayMs + minuteMs)
    const { started, progress } = run(start + hourMs)
    await vi.advanceTimersByTimeAsync(0)
    expect(started).toEqual([full('AD'), full('CL'), increment])
    expect(progress).toEqual([start + 3 * dayMs + minuteMs])
  })

  it('start nothing after they were stopped', async () => {
    const { started, scheduler } = run(start)
    scheduler.stop()
    await vi.advanceTimersByTimeAsync(dayMs)
    expect(started).toEqual([])
  })
})

it('keeps with the data how far the schedules are', () => {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'schedules.json')
  expect(loadProgress(file, start)).toEqual({ startsAt: start, ranUntil: start, aheadMs: 0 })
  saveProgress(file, { startsAt: start, ranUntil: start + dayMs, aheadMs: 5 })
  expect(loadProgress(file, start + 2 * dayMs)).toEqual({
    startsAt: start,
    ranUntil: start + dayMs,
    aheadMs: 5,
  })
})
