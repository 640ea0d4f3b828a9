import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyRange, handOver, type QueuedRun, type Slots } from '../../../../stored/slots/hand-over.ts'
import { decideSlots, type FreeingRequest } from '../../../../stored/slots/slot-decision.ts'

const now = 1_000

/** Slots that are written as `a` or `a=900`, with the time until which they are taken if it is not 2,000. */
const slots = (owners: string, waiting = ''): Slots => ({
  owners: entries(owners).map((entry) => ({ ...entry, range: 0 })),
  waiting: entries(waiting),
})
const entries = (text: string) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((entry) => {
      const [runId = '', until = '2000'] = entry.split('=')
      return { runId, until: Number(until) }
    })
/** Runs that wait. One that is written in capitals has no token. */
const queue = (text: string): QueuedRun[] =>
  entries(text).map((run) => (/[A-Z]/.test(run.runId) ? run : { ...run, token: `token of ${run.runId}` }))

const shown = ({ owners, waiting }: Slots, to: readonly QueuedRun[]) => ({
  owners: owners
    .map(({ runId, range, until }) => `${runId}${range === anyRange ? '*' : ''}=${until}`)
    .join(' '),
  ...(waiting.length > 0 && { waiting: waiting.map(({ runId }) => runId).join(' ') }),
  wakes: to.map(({ runId }) => runId).join(' '),
})

describe('a free slot', () => {
  it.each<[string, Slots, string, object]>([
    ['is one that has expired', slots('x y=1000'), 'b', { owners: 'x=2000 b*=61000', wakes: 'b' }],
    ['goes to no run that looks itself', slots('x'), 'b=1000 c', { owners: 'x=2000 c*=61000', wakes: 'c' }],
    ['is kept for a run without a token', slots('x'), 'B=1500 c', { owners: 'x=2000 B*=1500', wakes: 'B' }],
    ['ends the wait of b', slots('x', 'b c'), 'b', { owners: 'x=2000 b*=61000', waiting: 'c', wakes: 'b' }],
  ])('%s', (...[, stored, waiting, expected]) => {
    const { slots: next, to } = handOver(stored, { queue: queue(waiting), count: 2, now })
    expect(shown(next, to)).toEqual(expected)
  })

  it('is handed over by what frees it, in the same write', () => {
    const waiters = { queue: queue('b c'), count: 2, now }
    const decided = (request: FreeingRequest) => {
      const decision = decideSlots(slots('x y'), { ...request, waiters })
      return decision.kind === 'write' ? shown(decision.slots, decision.handedTo ?? []) : decision.kind
    }
    expect(decided({ kind: 'release', runId: 'x', ranges: [0] })).toEqual({
      owners: 'y=2000 b*=61000',
      wakes: 'b',
    })
    expect(decided({ kind: 'release-run', runId: 'y' })).toEqual({ owners: 'x=2000 b*=61000', wakes: 'b' })
    expect(decided({ kind: 'release-run', runId: 'z' })).toBe('granted')
  })

  it('that was handed over to a run whose execution is gone goes to the next one', () => {
    const given = handOver(slots('x'), { queue: queue('b'), count: 2, now }).slots
    const request = {
      kind: 'hand-over',
      gone: ['b', 'x'],
      waiters: { queue: queue('c'), count: 2, now },
    } as const
    const decision = decideSlots(given, request)
    // `x` has taken its slot.
    expect(decision.kind === 'write' && shown(decision.slots, decision.handedTo ?? [])).toEqual({
      owners: 'x=2000 c*=61000',
      wakes: 'c',
    })
  })

  it('that was handed over is taken for the range that its run opens first, although another run waits', () => {
    const given = handOver(slots('x', 'b c'), { queue: queue('b'), count: 2, now }).slots
    const take = { kind: 'take', scrolling: [], count: 2, now, until: 5_000 } as const
    expect(decideSlots(given, { ...take, runId: 'd', ranges: [0] })).toEqual({ kind: 'refused' })
    const taken = decideSlots(given, { ...take, runId: 'b', ranges: [3] })
    expect(taken.kind === 'write' && taken.slots.owners).toEqual([
      { runId: 'x', range: 0, until: 2_000 },
      { runId: 'b', range: 3, until: 5_000 },
    ])
  })

  it('is always given to the first runs in the queue that have none, and never beyond the count', () => {
    const runId = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
    const until = fc.integer({ min: now - 2, max: now + 2 })
    const owner = fc.record({ runId, range: fc.integer({ min: anyRange, max: 2 }), until })
    const run = fc.record({ runId, until }, { requiredKeys: ['runId', 'until'] })
    const owners = fc.uniqueArray(owner, { selector: (slot) => `${slot.runId}${slot.range}`, maxLength: 5 })
    const waiting = fc.uniqueArray(run, { selector: (one) => one.runId })
    fc.assert(
      fc.property(owners, waiting, fc.integer({ min: 1, max: 5 }), (taken, runs, count) => {
        const isLive = (one: { until: number }) => one.until > now
        const before = { owners: taken, waiting: runs }
        const { slots: next, to } = handOver(before, { queue: runs, count, now })
        const live = taken.filter(isLive)
        const owning = new Set(live.map((slot) => slot.runId))
        const due = runs.filter((one) => isLive(one) && !owning.has(one.runId)).map((one) => one.runId)
        const free = Math.max(0, count - live.length)
        expect(to.map((one) => one.runId)).toEqual(due.toSorted().slice(0, free))
        expect(next.owners.filter(isLive).length).toBe(live.length + to.length)
        expect(live.every((slot) => next.owners.includes(slot))).toBe(true)
        const keys = next.owners.map((slot) => `${slot.runId}${slot.range}`)
        expect(new Set(keys).size).toBe(keys.length)
      }),
    )
  })
})
