import { describe, expect, it } from 'vitest'
import {
  crashed,
  interrupted,
  newRange,
  nextAttempt,
  type OpenRange,
  proven,
  suspected,
} from '../../../../stored/run/range.ts'

const now = Date.UTC(2026, 2, 1, 6)
const later = now + 60_000
const range = newRange({ filter: { where: 'low', documents: 7 }, pageSize: 100, now })
const open: OpenRange = { ...range, state: 'open' }
const retryState = { since: now, last: { kind: 'outage', tries: 7, since: now } } as const
const old: OpenRange = { ...open, retryState, readyAt: later, crashes: { count: 4, page: 3 } }

describe('the next attempt of a range', () => {
  it('begins without the retry budget, the wait, the crashes and the suspicion of the previous one', () => {
    expect(nextAttempt(suspected(old, 'a reason'), { pageSize: 50, uniqueIds: 5, now: later })).toEqual({
      ...range,
      attempt: 2,
      attemptStartedAt: new Date(later).toISOString(),
      pageSize: 50,
    })
  })

  it('remembers the count of an attempt that was not suspect', () => {
    const second = nextAttempt(old, { pageSize: 50, uniqueIds: 5, now })
    expect(second.cleanCounts).toEqual([5])
    expect(nextAttempt(second, { pageSize: 50, uniqueIds: 6, now }).cleanCounts).toEqual([5, 6])
  })

  it('never lets the count of a suspect attempt vouch for it', () => {
    const next = nextAttempt(suspected(old, 'a reason'), { pageSize: 50, uniqueIds: 5, now })
    expect(next.cleanCounts).toEqual([])
  })

  it('has no count of an attempt that did not reach its end', () => {
    expect(nextAttempt(old, { pageSize: 50, uniqueIds: undefined, now }).cleanCounts).toEqual([])
  })
})

describe('a range whose worker crashed', () => {
  it('is suspect, except after the end of its scroll', () => {
    expect(crashed(open, { page: 3, hasEnded: false }).suspect).toBe(true)
    expect(crashed(open, { page: 3, hasEnded: true }).suspect).toBe(false)
    expect(crashed(suspected(open, 'a reason'), { page: 3, hasEnded: true }).suspect).toBe(true)
  })

  it('is unchanged if nothing was requested', () => {
    expect(crashed(range, { page: 0, hasEnded: false })).toBe(range)
  })

  it('counts crashes after the same page only', () => {
    const twice = crashed(crashed(open, { page: 3, hasEnded: false }), { page: 3, hasEnded: false })
    expect(twice.crashes).toEqual({ count: 2, page: 3 })
    expect(crashed(twice, { page: 4, hasEnded: false }).crashes).toEqual({ count: 1, page: 4 })
  })
})

it('a range that is interrupted keeps what its worker learned', () => {
  const learned = { retryState, pageSize: 50, readyAt: later }
  expect(interrupted(open, learned)).toEqual({ ...open, ...learned })
})

it('a proven range has its proof and no plans', () => {
  const counts = { documents: 5, uniqueIds: 5, pages: 1, received: 5, total: 5, openedAt: now }
  const proof = { proof: 'exact', ...counts } as const
  const { retryState: _retryState, readyAt: _readyAt, ...kept } = old
  expect(proven(old, proof)).toEqual({ ...kept, ...proof, state: 'proven' })
})
