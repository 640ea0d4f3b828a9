import { describe, expect, it } from 'vitest'
import type { Takeover } from '../../../../functions/worker/lifecycle/take-over.ts'
import { isCrashLooping, takeOver as takeOverAny } from '../../../../functions/worker/lifecycle/take-over.ts'
import { type Position, startPosition } from '../../../../stored/pages/page.ts'
import type { OpenRange } from '../../../../stored/run/range.ts'
import { type ActiveFullRun, newRun } from '../../../../stored/run/run.ts'
import {
  openRangeAt,
  waiting,
  withOpening,
  withRange,
  withSplit,
} from '../../../../stored/run/run-changes.ts'
import { fallback, plannedRanges, splitOf } from '../../../../stored/run/split.ts'
import { entityNamed } from '../../../entity-named.ts'
import { planOfRanges } from '../../stored/run/plan-of-ranges.ts'

const now = Date.UTC(2026, 2, 1, 6)
const entity = entityNamed('CL', { pageSize: 500, query: { _where: 'a=b' } })
const created = newRun({ runId: 'r', entity, acceptShrink: false, execution: undefined, now })
const opened: ActiveFullRun = withOpening({ ...created, worker: 'worker-1' }, 0)
const atPage = (page: number): Position => ({ ...startPosition(500), kind: 'page', page, token: 't' })
const next = (change: Partial<Takeover> = {}): Takeover => ({
  worker: 'worker-2',
  execution: 'arn:x',
  entity,
  rememberedPageSize: undefined,
  after: 'hand-off',
  positions: [],
  now,
  ...change,
})
const takeOver = (run: ActiveFullRun, by: Takeover) => takeOverAny(run, by) as ActiveFullRun
/** The run with a change of its only range. */
const withRangeOf = (run: ActiveFullRun, change: Partial<OpenRange>) =>
  withRange(run, 0, (range) => ({ ...range, ...change }))
const rangeOf = (run: ActiveFullRun) => openRangeAt(run, 0)

describe('the worker that continues a run', () => {
  it('runs it under its own name', () => {
    const run = takeOver(
      waiting(opened, { for: 'platform', reason: 'Throttled.', waitMs: 0, now: now }) as ActiveFullRun,
      next(),
    )
    expect(run).toMatchObject({ status: 'running', worker: 'worker-2', execution: 'arn:x' })
    expect(rangeOf(run).suspect).toBe(false)
  })

  it('marks the open range suspect after a crash, except after the end of the scroll', () => {
    const after = 'crash'
    const isSuspect = (position: Position | undefined) =>
      rangeOf(takeOver(opened, next({ after, positions: [position] }))).suspect
    expect(isSuspect(undefined)).toBe(true)
    expect(isSuspect(atPage(3))).toBe(true)
    expect(isSuspect({ ...atPage(3), kind: 'end', evidence: 'confirmed' })).toBe(false)
  })

  it('does not suspect a range whose worker crashed before it requested anything', () =>
    expect(rangeOf(takeOver(created, next({ after: 'crash' }))).suspect).toBe(false))

  it('keeps the retry budget of the attempt', () => {
    const since = now - 1000
    const retryState = { since, last: { kind: 'outage', tries: 7, since } } as const
    expect(rangeOf(takeOver(withRangeOf(opened, { retryState }), next())).retryState).toEqual(retryState)
  })

  it('counts crashes after the same page only', () => {
    const crash = (run: ActiveFullRun, page: number) =>
      takeOver(run, next({ after: 'crash', positions: [atPage(page)] }))
    let run = opened
    for (let page = 1; page <= 10; page++) run = crash(run, page)
    expect([rangeOf(run).crashes?.count, isCrashLooping(run)]).toEqual([1, false])
    for (let count = 2; count <= 4; count++) run = crash(run, 10)
    expect(isCrashLooping(run)).toBe(false)
    expect(isCrashLooping(crash(run, 10))).toBe(true)
  })

  it('counts the crashes of workers that plan ranges', () => {
    let run: ActiveFullRun = {
      ...opened,
      split: splitOf({ partitions: { by: 'a', count: 2 } }, { pageSize: 5, now }),
    }
    const partitioned = entityNamed('CL', { ...entity, partitions: { by: 'a', count: 2 } })
    for (let count = 1; count <= 5; count++) {
      expect(isCrashLooping(run)).toBe(false)
      run = takeOver(run, next({ after: 'crash', entity: partitioned }))
    }
    expect(isCrashLooping(run)).toBe(true)
  })

  it('is in no crash loop while another range gets further, or before one is open', () => {
    const filters = ['low', 'high'].map((where) => ({ where, documents: 1 }))
    const planned = withSplit(created, plannedRanges({ ...planOfRanges, filters }, { pageSize: 5, now }), now)
    const crashes = (count: number) => (range: OpenRange) =>
      ({ ...range, state: 'open', crashes: { count, page: 1 } }) as const
    expect(isCrashLooping(planned)).toBe(false)
    expect(isCrashLooping(withRange(planned, 0, crashes(5)))).toBe(true)
    expect(isCrashLooping(withRange(withRange(planned, 0, crashes(5)), 1, crashes(1)))).toBe(false)
  })
})

describe('what a run scrolls', () => {
  const other = entityNamed('CL', { pageSize: 1000, query: {}, idField: 'key' })
  const otherPlan = {
    query: {},
    idField: 'key',
    configuredPageSize: 1000,
    pageSize: 1000,
    totalTolerancePercent: 1,
    totals: 'check',
    maxShrinkPercent: 30,
    shrinkLimit: 'default',
    allowEmpty: false,
  }

  it('is decided by the worker and not by the creator of its item', () =>
    expect(takeOver(created, next({ entity: other })).plan).toEqual(otherPlan))

  it('follows a deployment until the first page has arrived', () => {
    expect(takeOver(opened, next({ entity: other })).plan).toEqual(otherPlan)
    expect(takeOver(opened, next({ entity: other, positions: [atPage(1)] })).plan).toEqual(opened.plan)
    expect(takeOver(withRangeOf(opened, { attempt: 2 }), next({ entity: other })).plan).toEqual(opened.plan)
  })

  it('does not change once the run has been split, since ranges may have received pages', () => {
    const back = withSplit(opened, fallback('Why.', { pageSize: 500, now }), now)
    expect(takeOver(back, next({ entity: other }))).toMatchObject({ plan: opened.plan, split: back.split })
  })

  it('does not change after a crash, since the first page may still arrive', () => {
    expect(takeOver(opened, next({ entity: other, after: 'crash' })).plan).toEqual(opened.plan)
    const planned = { ...created, worker: 'worker-1' }
    expect(takeOver(planned, next({ entity: other, after: 'crash' })).plan).toEqual(otherPlan)
  })

  it('keeps a smaller page size that the previous worker needed, unless another one was configured', () => {
    const smaller = withRangeOf(opened, { pageSize: 250 })
    expect(rangeOf(takeOver(smaller, next())).pageSize).toBe(250)
    const raised = entityNamed('CL', { pageSize: 1000, query: { _where: 'a=b' } })
    const restarted = takeOver(smaller, next({ entity: raised }))
    expect(restarted.plan).toMatchObject({ pageSize: 1000, configuredPageSize: 1000 })
    expect(rangeOf(restarted).pageSize).toBe(1000)
  })

  it('begins with the remembered page size, unless another one was configured', () => {
    const rememberedPageSize = { next: 125, configured: 500 }
    expect(rangeOf(takeOver(created, next({ rememberedPageSize }))).pageSize).toBe(125)
    expect(rangeOf(takeOver(created, next({ rememberedPageSize, entity: other }))).pageSize).toBe(1000)
  })
})
