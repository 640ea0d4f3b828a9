import { describe, expect, it } from 'vitest'
import { type ActiveRun, newRun, type RunResult, timeOfRunId } from '../../../../functions/state/run/run.ts'
import {
  abandoned,
  cancelled,
  failed,
  nextAttempt,
  published,
  publishing,
  refused,
  running,
  skipped,
  suspect,
  waiting,
  withFault,
  withRequest,
  withRetryState,
} from '../../../../functions/state/run/run-changes.ts'
import { entityNamed } from '../../../entity-named.ts'

const now = Date.UTC(2026, 2, 1, 6)
const later = now + 60_000
const laterText = new Date(later).toISOString()
const runId = '20260301T060000000Z-0123456789ab'
const entity = entityNamed('CL', { pageSize: 100, query: { _where: 'a=b' }, idField: 'key' })
const run: ActiveRun = newRun({ runId, entity, acceptShrink: false, execution: 'arn:x', now })
const result: RunResult = {
  proof: 'exact',
  documents: 5,
  uniqueIds: 5,
  pages: 1,
  reportedTotal: 5,
  partitions: undefined,
  pageSize: 100,
  openedAt: laterText,
  finishedAt: laterText,
  spent: { requests: 2, receivedBytes: 100, milliseconds: 60_000 },
}

describe('a run', () => {
  it('begins with the configuration of its entity', () => {
    expect(run).toMatchObject({
      status: 'running',
      attempt: 1,
      suspect: false,
      plan: { query: { _where: 'a=b' }, idField: 'key', configuredPageSize: 100, pageSize: 100 },
    })
  })

  it('loses the reason of a wait when it continues', () => {
    const waits = waiting(run, 'Throttled.', later)
    expect(waits).toMatchObject({ status: 'waiting', reason: 'Throttled.', updatedAt: laterText })
    expect(running(waits, later)).not.toHaveProperty('reason')
    expect(publishing(waits, result, later)).not.toHaveProperty('reason')
  })

  it('is published with the numbers of its proof', () => {
    const progress = { documents: 7, pages: 2, total: 5 }
    const end = published(publishing(run, result, now), { manifest: 'key', progress, now: later })
    expect(end).toMatchObject({
      status: 'published',
      documents: 5,
      uniqueIds: 5,
      proof: 'exact',
      manifest: 'key',
      pages: 2,
      endedAt: laterText,
      abandoned: false,
    })
    expect(end).not.toHaveProperty('result')
  })

  it.each([
    ['failed', failed],
    ['refused', refused],
    ['cancelled', cancelled],
    ['skipped', skipped],
  ] as const)('ends as %s with a reason and its progress', (status, change) => {
    const progress = { documents: 7, pages: 2, total: undefined }
    const end = change(run, { reason: 'Why.', progress, now: later })
    expect(end).toMatchObject({ status, reason: 'Why.', documents: 7, pages: 2, endedAt: laterText })
    expect(abandoned(end)).toMatchObject({ status, abandoned: true })
  })

  it('counts requests and faults', () => {
    const counted = withFault(withFault(withRequest(run, 10), '503', later), '503', later)
    expect(counted).toMatchObject({ requests: 1, receivedBytes: 10, faults: { 503: 2 } })
  })
})

describe('the next attempt of a run', () => {
  const retryState = { since: now, last: { kind: 'outage', tries: 7, since: now } } as const
  const crashes = { count: 4, attempt: 1, page: 3 }
  const old: ActiveRun = { ...withRetryState(run, { retryState, pageSize: 50 }), crashes }

  it('begins without the retry budget, the crashes and the suspicion of the one before', () => {
    expect(nextAttempt(suspect(old, now), { pageSize: 50, uniqueIds: 5, now: later })).toMatchObject({
      attempt: 2,
      attemptStartedAt: laterText,
      suspect: false,
      retryState: undefined,
      crashes: undefined,
      plan: { pageSize: 50 },
    })
  })

  it('remembers the count of an attempt that was not suspect', () => {
    const second = nextAttempt(old, { pageSize: 50, uniqueIds: 5, now })
    expect(second.cleanCounts).toEqual([5])
    expect(nextAttempt(second, { pageSize: 50, uniqueIds: 6, now }).cleanCounts).toEqual([5, 6])
  })

  it('never lets the count of a suspect attempt vouch for it', () => {
    const second = nextAttempt(suspect(old, now), { pageSize: 50, uniqueIds: 5, now })
    expect(second.cleanCounts).toEqual([])
  })

  it('has no count of an attempt that did not reach its end', () => {
    expect(nextAttempt(old, { pageSize: 50, uniqueIds: undefined, now }).cleanCounts).toEqual([])
  })
})

it('the time of a run is in its id', () => {
  expect(timeOfRunId('20261121T051800123Z-0123456789ab')).toBe(Date.UTC(2026, 10, 21, 5, 18, 0, 123))
})
