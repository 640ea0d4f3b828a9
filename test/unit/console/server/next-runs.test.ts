import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createNextRuns } from '../../../../console/server/data/next-runs.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T12:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const daily = { entity: 'CL', starts: 'full', expression: 'cron(0 15 * * ? *)', timezone: 'UTC', startsAt: 0 }
const pause = { by: 'user/ana', since: '', reason: null, until: '2026-11-22T06:00:00.000Z' }
const deployment = (schedules?: readonly object[]) => ({ schedules, now: Date.now }) as never

it('reads the schedules of the deployment once a minute', async () => {
  let enabled = true
  const read = vi.fn<() => Promise<never>>(async () => [{ existing: { ...daily, enabled } }] as never)
  const { read: readNext } = createNextRuns(deployment(), read)
  expect((await readNext())('CL').nextWith(null)).toEqual({ kind: 'run', at: '2026-11-21T15:00:00.000Z' })
  enabled = false
  vi.setSystemTime(Date.now() + 60_000)
  const next = await readNext()
  expect([next('CL').nextWith(null).kind, next('AD').nextWith(null).kind]).toEqual(['run', 'none'])
  expect(read).toHaveBeenCalledTimes(1)
  vi.setSystemTime(Date.now() + 1)
  expect((await readNext())('CL').nextWith(null)).toEqual({ kind: 'paused' })
  expect(read).toHaveBeenCalledTimes(2)
})

it('reads the schedules again once they were changed', async () => {
  let enabled = false
  const next = createNextRuns(deployment(), async () => [{ existing: { ...daily, enabled } }] as never)
  const kindOfNext = async () => (await next.read())('CL').nextWith(null).kind
  expect(await kindOfNext()).toBe('paused')
  const changed = await next.change(async () => {
    expect(await kindOfNext()).toBe('paused')
    vi.setSystemTime(Date.now() + 61_000)
    // Another page reads them before they have changed.
    expect(await kindOfNext()).toBe('paused')
    enabled = true
    return 'changed'
  })
  expect([changed, await kindOfNext()]).toEqual(['changed', 'run'])
})

it('shows the next run as unknown if the schedules cannot be read', async () => {
  const { read: readNext } = createNextRuns(deployment(), () => Promise.reject(new Error('denied')))
  expect((await readNext())('CL').nextWith(null)).toEqual({ kind: 'unknown' })
})

it('reads nothing to know the schedules of npm start', async () => {
  const { read: readNext } = createNextRuns(deployment([daily]), () => expect.fail('read schedules'))
  expect((await readNext())('CL').nextWith(null)).toEqual({ kind: 'run', at: '2026-11-21T15:00:00.000Z' })
  expect((await readNext())('CL').nextWith(pause)).toEqual({ kind: 'paused', until: pause.until })
})
