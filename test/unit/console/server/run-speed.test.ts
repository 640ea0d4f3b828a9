import { describe, expect, it } from 'vitest'
import { createRunLogs } from '../../../../console/server/data/run-logs.ts'
import { readSpeed } from '../../../../console/server/data/run-speed.ts'
import type { Run } from '../../../../functions/state/run/run.ts'

const start = Date.parse('2026-11-21T12:00:00.000Z')
const iso = (seconds: number) => new Date(start + seconds * 1000).toISOString()

/** The speed of a run whose pages arrived at these times. */
async function speedOf(times: readonly number[]) {
  const run = { kind: 'full', runId: 'r', split: { kind: 'none', range: { attempt: 1 } } } as unknown as Run
  async function* pages() {
    for (const respondedAt of times) yield { respondedAt }
  }
  return (await readSpeed({ pages } as never, run)).speed
}

describe('the speed of a run', () => {
  it.each([
    [[], []],
    [[0], [[iso(0), 1]]],
    [
      [2.5, 0, 0.1, 0.9],
      [
        [iso(0), 3],
        [iso(1), 0],
        [iso(2), 1],
      ],
    ],
  ])('of pages at %j seconds is counted in equal periods', async (seconds, speed) => {
    expect(await speedOf(seconds.map((at) => start + at * 1000))).toEqual(
      speed.map(([at, pagesPerSecond]) => ({ at, pagesPerSecond })),
    )
  })

  it.each([1_200, 1_201])('has at most 60 periods: of %i pages', async (pages) => {
    const speed = await speedOf(Array.from({ length: pages }, (_, index) => start + index * 500))
    expect(speed).toHaveLength(60)
    expect(speed?.every(({ pagesPerSecond }) => pagesPerSecond >= 2)).toBe(true)
  })

  it.each([
    [2_000, 2_000],
    [2_001, null],
  ])('of %i pages is known: %j', async (count, pages) => {
    const speed = await speedOf(Array.from({ length: count }, (_, page) => start + page * 10))
    expect(speed && speed.length > 0 && count).toBe(pages)
  })
})

describe('the log lines of a run', () => {
  const run = { runId: 'r', startedAt: iso(0), endedAt: null } as never
  const line = (seconds: number, change: object) =>
    JSON.stringify({ timestamp: iso(seconds), level: 'WARN', runId: 'r', entity: 'CL', ...change })
  const logs = (...lines: string[]) =>
    createRunLogs({
      now: () => start,
      open: async () => async () => lines.map((text, index) => ({ id: String(index), text })),
    })(run)

  it.each([
    [{ message: 'scroll waiting', reason: '429', waitSeconds: 3 }, 'scroll waiting: 429 (waits 3 s)'],
    [{ message: 'request outcome unknown', detail: 'reset' }, 'request outcome unknown: reset'],
    [{ message: 'run ended', status: 'failed', reason: 'Why.' }, null],
    [{ message: 'scroll waiting', level: 'INFO', reason: 'x' }, null],
    [
      { message: 'slot waiting', level: 'INFO', reason: 'All taken.', waitSeconds: 15 },
      'slot waiting: All taken. (waits 15 s)',
    ],
  ])('name why it waited: %j', async (change, reason) => {
    const { lines } = await logs(line(1, change))
    expect(lines).toMatchObject([{ timestamp: iso(1), reason }])
    expect(lines[0]?.text).toMatch(/^(WARN|INFO) +\S/)
  })

  it('name who made a decision', async () => {
    const { lines } = await logs(
      line(1, { message: 'comparison ended', by: 'Ana' }),
      line(2, { message: 'step' }),
    )
    expect(lines.map(({ by }) => by)).toEqual(['Ana', null])
  })

  it('leave out metrics and other runs, and are the newest 500', async () => {
    const many = Array.from({ length: 501 }, (_, index) => line(index, { message: 'step', index }))
    const { lines } = await logs(
      line(0, { message: 'm', _aws: {} }),
      line(0, { message: 'm', runId: 'x' }),
      ...many,
    )
    expect(lines).toHaveLength(500)
    expect(lines[0]?.timestamp).toBe(iso(1))
  })

  it('are opened again after a failure', async () => {
    let opened = 0
    const read = createRunLogs({
      now: () => start,
      async open() {
        if (++opened === 1) throw new Error('denied')
        return async () => []
      },
    })
    await expect(read(run)).rejects.toThrow('denied')
    expect(await read(run)).toEqual({ lines: [] })
    await read(run)
    expect(opened).toBe(2)
  })
})
