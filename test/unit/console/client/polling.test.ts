import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  entityIntervalMs,
  overviewIntervalMs,
  runIntervalMs,
  runLogsIntervalMs,
} from '../../../../console/client/model/intervals.ts'
import {
  failedState,
  isFinal,
  notRequested,
  retryMsAfter,
  stateOf,
} from '../../../../console/client/model/request-state.ts'
import { startPolling } from '../../../../console/client/polling.ts'
import { RequestFailed, Unreachable } from '../../../../console/client/request.ts'

const unreachable = new Unreachable('gone')
const refusal = (status: number) => new RequestFailed(status, { message: 'no' })

describe('reading again and again', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Responds with 1, 2, 3 and so on unless a request fails. */
  function polling({
    intervalMs = () => 100,
    ...failures
  }: {
    intervalMs?: (data: number | undefined) => number | null
    failing?: Readonly<Record<number, Error>>
  } = {}) {
    let asked = 0
    const signals: AbortSignal[] = []
    const shown: (number | Error)[] = []
    const tab = { isHidden: false }
    const started = startPolling<number>({
      async read(signal) {
        const number = ++asked
        signals.push(signal)
        await new Promise((done) => setTimeout(done, 10))
        const failure = failures.failing?.[number]
        if (failure) throw failure
        return number
      },
      intervalMs,
      isHidden: () => tab.isHidden,
      onResponse: (data) => void shown.push(data),
      onFailure: (error) => void shown.push(error),
    })
    return { ...started, tab, shown, signals, asked: () => asked }
  }

  it('sends a request at once, and again some time after each response', async () => {
    const { shown, asked } = polling()
    expect(asked()).toBe(1)
    await vi.advanceTimersByTimeAsync(109)
    expect([asked(), shown]).toEqual([1, [1]])
    await vi.advanceTimersByTimeAsync(1)
    expect(asked()).toBe(2)
    await vi.advanceTimersByTimeAsync(110)
    expect([asked(), shown]).toEqual([3, [1, 2]])
  })

  it('stops after the last response', async () => {
    const { shown } = polling({ intervalMs: (data) => (data === 2 ? null : 100) })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(shown).toEqual([1, 2])
  })

  it('continues after a failure as without a response', async () => {
    const intervalMs = (data: number | undefined) => (data === undefined ? 500 : 100)
    const { shown, asked } = polling({ intervalMs, failing: { 1: unreachable } })
    await vi.advanceTimersByTimeAsync(509)
    expect([asked(), shown]).toEqual([1, [unreachable]])
    await vi.advanceTimersByTimeAsync(11)
    expect(shown).toEqual([unreachable, 2])
  })

  it('sends no request without a session until the page is shown again', async () => {
    const { shown, visibilityChanged } = polling({ failing: { 1: refusal(401) } })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(shown.length).toBe(1)
    visibilityChanged()
    await vi.advanceTimersByTimeAsync(10)
    expect(shown).toEqual([refusal(401), 2])
  })

  it('sends no requests while the page is hidden, and one at once when it is shown', async () => {
    const { tab, asked, visibilityChanged } = polling()
    await vi.advanceTimersByTimeAsync(50)
    tab.isHidden = true
    visibilityChanged()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(asked()).toBe(1)
    tab.isHidden = false
    visibilityChanged()
    expect(asked()).toBe(2)
  })

  it('plans nothing after a response if the page was hidden in the meantime', async () => {
    const { tab, asked, visibilityChanged } = polling()
    tab.isHidden = true
    visibilityChanged()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(asked()).toBe(1)
  })

  it('sends one request at a time, and the next after the same interval', async () => {
    const { ask, asked, shown } = polling()
    ask()
    expect(asked()).toBe(1)
    await vi.advanceTimersByTimeAsync(60)
    ask()
    ask()
    await vi.advanceTimersByTimeAsync(100)
    expect([asked(), shown]).toEqual([2, [1, 2]])
    await vi.advanceTimersByTimeAsync(10)
    expect(asked()).toBe(3)
  })

  it.each([5, 50])('does nothing after it was stopped at %i ms', async (ms) => {
    const { stop, asked, shown, signals } = polling({ failing: { 2: unreachable } })
    await vi.advanceTimersByTimeAsync(ms)
    const before = shown.length
    stop()
    await vi.advanceTimersByTimeAsync(1_000)
    expect([asked(), shown.length, signals[0]?.aborted]).toEqual([1, before, true])
  })

  it('shows no failure after it was stopped', async () => {
    const { stop, shown, asked } = polling({ failing: { 1: unreachable } })
    stop()
    await vi.advanceTimersByTimeAsync(1_000)
    expect([asked(), shown]).toEqual([1, []])
  })
})

describe('what a view shows of a path', () => {
  const responded = { path: '/a', data: 1, error: undefined }

  it('is nothing of another path', () => {
    expect(stateOf(responded, '/a')).toEqual(responded)
    expect(stateOf(responded, '/b')).toEqual(notRequested)
    expect(stateOf(notRequested, null)).toEqual(notRequested)
  })

  it('stays after a failure, with the failure', () => {
    const failed = { path: '/a', error: unreachable, known: 0 }
    expect(failedState(responded, failed)).toEqual({ path: '/a', data: 1, error: unreachable })
    const unknown = { path: '/b', error: unreachable, known: undefined }
    expect(failedState(responded, unknown)).toEqual({ path: '/b', data: undefined, error: unreachable })
  })

  it.each([
    [unreachable, 7],
    [refusal(500), 7],
    [refusal(404), undefined],
  ])('is what was read of it earlier after %s: %j', (error, data) => {
    expect(failedState(responded, { path: '/b', error, known: 7 })).toEqual({ path: '/b', data, error })
  })

  it.each([
    [unreachable, false, 3_000],
    [refusal(401), true, null],
    [refusal(403), false, null],
    [refusal(502), false, 3_000],
  ])('after %s is final: %j, and read again after %j ms if it does not change', (error, final, retryMs) => {
    expect([isFinal(error), retryMsAfter(error)]).toEqual([final, retryMs])
  })
})

it.each([
  [null, 5_000],
  ['2026-11-21T12:00:00.000Z', null],
])('the log lines of a run that ended at %j are read again after %j ms', (endedAt, ms) => {
  expect(runLogsIntervalMs({ run: { endedAt }, comparison: { kind: 'none' } } as never)).toBe(ms)
})

describe('a view is read again', () => {
  const [running, idle] = [{ running: {} }, { running: null }] as never[]
  const ended = (endedAt: string | null, kind = 'published', refused: object | null = null) =>
    ({ run: { endedAt }, comparison: { kind }, refused }) as never
  it.each<[name: string, intervalMs: () => number | null, ms: number | null]>([
    ['the overview at first', () => overviewIntervalMs(undefined), 5_000],
    ['the overview without a run', () => overviewIntervalMs({ entities: [idle] as never }), 5_000],
    ['the overview with a run', () => overviewIntervalMs({ entities: [idle, running] as never }), 1_000],
    ['an entity at first', () => entityIntervalMs(undefined), 5_000],
    ['an entity without a run', () => entityIntervalMs({ row: idle as never }), 5_000],
    ['an entity with a run', () => entityIntervalMs({ row: running as never }), 1_000],
    ['a run at first', () => runIntervalMs(undefined), 1_000],
    ['a run in progress', () => runIntervalMs(ended(null)), 1_000],
    ['a run that has ended', () => runIntervalMs(ended('2026-11-21T12:00:00.000Z')), null],
    ['a run being compared', () => runIntervalMs(ended('2026-11-21T12:00:00.000Z', 'pending')), 5_000],
    ['a run that may be accepted', () => runIntervalMs(ended('2026-11-21T12:00:00.000Z', 'none', {})), 5_000],
  ])('%s', (_, intervalMs, ms) => expect(intervalMs()).toBe(ms))
})
