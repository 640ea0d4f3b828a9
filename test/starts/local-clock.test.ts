import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../functions/problems/problem.ts'
import { startCommand } from '../command-line.ts'
import { type NpmStart, npmStart } from '../npm-start.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const schedule = 'rate(1 day)'

let started: NpmStart
const before = process.env['LONGSHORE_LOCAL']
beforeAll(async () => {
  started = await npmStart({
    entities: [
      { name: 'CL', schedule },
      { name: 'AD', schedule },
    ],
  })
  process.env['LONGSHORE_LOCAL'] = started.localFile
})
afterAll(async () => {
  await started?.stop()
  if (before === undefined) delete process.env['LONGSHORE_LOCAL']
  else process.env['LONGSHORE_LOCAL'] = before
})

const longshore = (args: string) => startCommand(args.split(' ')).ended
const json = async <T>(args: string) => JSON.parse((await longshore(`${args} --json`)).stdout) as T

interface Status {
  readonly problems: readonly Problem[]
  readonly entities: readonly {
    readonly entity: string
    readonly snapshot: { readonly publishedAt: string } | null
    readonly next: { readonly kind: string; readonly at?: string }
  }[]
}
interface Clock {
  readonly now: string
  readonly aheadMs: number
}

const near = (hours: number) => expect.closeTo(hours, -1) as number

async function state() {
  const [{ problems, entities }, { now, aheadMs }] = await Promise.all([
    json<Status>('status'),
    json<Clock>('clock'),
  ])
  const time = Date.parse(now)
  const shown = entities.map(({ entity, snapshot, next }) => ({
    entity,
    hoursOld: snapshot && Math.floor((time - Date.parse(snapshot.publishedAt)) / hourMs),
    next: next.at === undefined ? next.kind : Math.floor((Date.parse(next.at) - time) / hourMs),
  }))
  const urgent = problems.filter(({ level }) => level === 'problem').map(({ kind }) => kind)
  return { urgent, days: Math.round(aheadMs / dayMs), shown }
}

describe('the clock of npm start', () => {
  it('is that of this machine at first, and the demo has published one entity', async () => {
    expect(await state()).toEqual({
      urgent: ['no-snapshot'],
      days: 0,
      shown: [
        { entity: 'CL', hoursOld: 0, next: 23 },
        { entity: 'AD', hoursOld: null, next: 23 },
      ],
    })
  })

  it('lets schedules run when it is moved, so that nothing is red', async () => {
    expect(await longshore('clock +180h')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(', 7 d 12 h ahead of this machine') as string,
    })
    // Seven days and twelve hours: the last runs were due at the end of the seventh day.
    expect(await state()).toMatchObject({
      urgent: [],
      shown: [
        { entity: 'CL', hoursOld: near(12), next: near(12) },
        { entity: 'AD', hoursOld: near(12), next: near(12) },
      ],
    })
  })

  it('shows a snapshot that becomes too old during a pause, and its end', async () => {
    expect(await longshore('pause AD --until 4d')).toMatchObject({ code: 0 })
    await longshore('clock +3d')
    const paused = await state()
    expect(paused.urgent).toEqual(['stale'])
    expect(started.printed()).toContain('Mail: Longshore: AD: stale\n')
    expect(paused.shown).toMatchObject([
      { entity: 'CL', hoursOld: near(12) },
      { entity: 'AD', hoursOld: near(84), next: 'paused' },
    ])
    await longshore('clock +2d')
    expect(await state()).toMatchObject({
      urgent: [],
      shown: [{ hoursOld: near(12) }, { hoursOld: near(12) }],
    })
    expect(started.printed()).toContain('Mail: Longshore: AD: stale is resolved\n')
  })

  it.each([
    ['clock 7d', "clock: '7d' is not a time to move by."],
    ['clock +2y', "clock: '+2y' is not a time to move by."],
  ])('%s is refused', async (line, message) => {
    expect(await longshore(line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as string,
    })
  })

  it('is moved by nobody else on this machine', async () => {
    const headers = { authorization: 'Bearer guessed' }
    const response = await fetch(`${started.apiUrl}/local/clock`, {
      method: 'POST',
      headers,
      body: '{"ms":1}',
    })
    expect(response.status).toBe(403)
  })
})
