import { describe, expect, it } from 'vitest'
import { type Position, startPosition } from '../../../../functions/state/pages/page.ts'
import { type ActiveRun, newRun } from '../../../../functions/state/run/run.ts'
import { waiting, withPageSize } from '../../../../functions/state/run/run-changes.ts'
import { isCrashLooping, type Takeover, takeOver } from '../../../../functions/worker/run/take-over.ts'
import { entityNamed } from '../../../entity-named.ts'

const now = Date.UTC(2026, 2, 1, 6)
const entity = entityNamed('CL', { pageSize: 500, query: { _where: 'a=b' } })
const created = newRun({ runId: 'r', entity, acceptShrink: false, execution: undefined, now })
const opened: ActiveRun = { ...created, worker: 'worker-1' }
const atPage = (page: number): Position => ({ ...startPosition(500), kind: 'page', page, token: 't' })
const next = (change: Partial<Takeover> = {}): Takeover => ({
  worker: 'worker-2',
  execution: 'arn:x',
  entity,
  rememberedPageSize: undefined,
  after: 'hand-off',
  position: startPosition(500),
  committedPages: change.position?.page ?? 0,
  now,
  ...change,
})

describe('the worker that continues a run', () => {
  it('runs it under its own name', () => {
    const run = takeOver(waiting(opened, 'Throttled.', now), next())
    expect(run).toMatchObject({ status: 'running', worker: 'worker-2', execution: 'arn:x', suspect: false })
  })

  it('marks the attempt suspect after a crash, except after the end of the scroll', () => {
    const after = 'crash'
    expect(takeOver(opened, next({ after })).suspect).toBe(true)
    expect(takeOver(opened, next({ after, position: atPage(3) })).suspect).toBe(true)
    const position: Position = { ...atPage(3), kind: 'end' }
    expect(takeOver(opened, next({ after, position })).suspect).toBe(false)
  })

  it('keeps the retry budget of the attempt', () => {
    const since = now - 1000
    const retryState = { since, last: { kind: 'outage', tries: 7, since } } as const
    expect(takeOver({ ...opened, retryState }, next()).retryState).toEqual(retryState)
  })

  it('counts crashes at the same page only', () => {
    const crash = (run: ActiveRun, page: number) =>
      takeOver(run, next({ after: 'crash', position: atPage(page) }))
    let run = opened
    for (let page = 1; page <= 10; page++) run = crash(run, page)
    expect([run.crashes?.count, isCrashLooping(run)]).toEqual([1, false])
    for (let count = 2; count <= 4; count++) run = crash(run, 10)
    expect(isCrashLooping(run)).toBe(false)
    expect(isCrashLooping(crash(run, 10))).toBe(true)
    expect(isCrashLooping(crash({ ...run, attempt: 2 }, 10))).toBe(false)
  })
})

describe('what a run scrolls', () => {
  const other = entityNamed('CL', { pageSize: 1000, query: {}, idField: 'key' })
  const otherPlan = { query: {}, idField: 'key', configuredPageSize: 1000, pageSize: 1000 }

  it('is decided by the worker and not by the creator of its item', () => {
    expect(takeOver(created, next({ entity: other })).plan).toEqual(otherPlan)
  })

  it('follows a deployment until the first page has arrived', () => {
    expect(takeOver(opened, next({ entity: other })).plan).toEqual(otherPlan)
    expect(takeOver(opened, next({ entity: other, position: atPage(1) })).plan).toEqual(opened.plan)
    expect(takeOver({ ...opened, attempt: 2 }, next({ entity: other })).plan).toEqual(opened.plan)
  })

  it('does not change after a crash, since the first page may still arrive', () => {
    expect(takeOver(opened, next({ entity: other, after: 'crash' })).plan).toEqual(opened.plan)
    expect(takeOver(created, next({ entity: other, after: 'crash' })).plan).toEqual(otherPlan)
  })

  it('keeps a smaller page size that the worker before needed, unless another one was configured', () => {
    const smaller = withPageSize(opened, 250)
    expect(takeOver(smaller, next()).plan.pageSize).toBe(250)
    const raised = entityNamed('CL', { pageSize: 1000, query: { _where: 'a=b' } })
    expect(takeOver(smaller, next({ entity: raised })).plan).toMatchObject({
      pageSize: 1000,
      configuredPageSize: 1000,
    })
  })

  it('begins with the remembered page size, unless another one was configured', () => {
    const rememberedPageSize = { next: 125, configured: 500 }
    expect(takeOver(created, next({ rememberedPageSize })).plan.pageSize).toBe(125)
    expect(takeOver(created, next({ rememberedPageSize, entity: other })).plan.pageSize).toBe(1000)
  })
})
