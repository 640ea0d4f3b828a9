import { describe, expect, it } from 'vitest'
import { type Claim, decideClaim } from '../../../functions/state/claim.ts'
import { type Lease, leaseMs } from '../../../functions/state/lease.ts'

const now = 1_000_000
const mine = 'run-mine'
const theirs = 'run-theirs'

type Row = [holder: string, free: boolean, handedOff: boolean, leaseDirect: boolean, claimantDirect: boolean]

/** Every combination of whose the lease is, whether it has run out, and how it is driven. */
const rows: Row[] = [mine, theirs].flatMap((holder) =>
  Array.from(
    { length: 16 },
    (_, bits): Row => [holder, !(bits & 8), !!(bits & 4), !!(bits & 2), !!(bits & 1)],
  ),
)

/** The table of the decision, in the words of the design. */
function expected([holder, free, handedOff, leaseDirect, claimantDirect]: Row): Claim {
  const goOn: Claim = { kind: 'go-on', runId: holder, clean: handedOff }
  // The lease belongs to the run, so a retried step goes on at once.
  if (holder === mine) return goOn
  // A direct invocation goes on where the last one stopped, whoever drove the run that was left behind.
  if (claimantDirect && free) return goOn
  if (claimantDirect && leaseDirect && handedOff) return goOn
  // One that was not renewed for 5 minutes is free, and its end is to be settled; a duplicate start is skipped.
  return free ? { kind: 'take', abandoned: holder } : { kind: 'skip', runId: holder }
}

const lease = ([runId, free, handedOff, direct]: Row): Lease => ({
  runId,
  worker: 'worker-1',
  until: free ? now - 1 : now + 1,
  handedOff,
  direct,
})

describe('who may work on an entity', () => {
  it.each(rows)('lease of %s, free %s, handed on %s, direct %s; claimant direct %s', (...row) => {
    expect(decideClaim(lease(row), { runId: mine, direct: row[4], worker: 'worker-2' }, now)).toEqual(
      expected(row),
    )
  })

  it.each([true, false])('anybody (direct %s) when nobody does', (direct) => {
    expect(decideClaim(undefined, { runId: mine, direct, worker: 'worker-2' }, now)).toEqual({ kind: 'take' })
  })

  it.each([
    ['the same request', 'request-1#2', 'go-on'],
    ['another request', 'request-2#1', 'skip'],
  ])('a worker that died is followed at once by a retry of its own request (%s)', (_, worker, kind) => {
    const left = { ...lease([theirs, false, false, true, true]), worker: 'request-1#1' }
    expect(decideClaim(left, { runId: mine, direct: true, worker }, now)).toMatchObject({ kind })
    // The state machine's steps know their run by its id.
    expect(decideClaim(left, { runId: mine, direct: false, worker }, now).kind).toBe('skip')
  })

  it('the lease is free from its end on, not before', () => {
    const given = lease([theirs, false, false, false, false])
    const at = (until: number) =>
      decideClaim({ ...given, until }, { runId: mine, direct: false, worker: 'worker-2' }, now).kind
    expect([at(now - 1), at(now), at(now + 1)]).toEqual(['take', 'take', 'skip'])
  })

  it('a lease that was just renewed lasts five minutes', () => {
    const given = { ...lease([theirs, false, false, false, false]), until: now + leaseMs }
    const at = (ms: number) =>
      decideClaim(given, { runId: mine, direct: false, worker: 'worker-2' }, now + ms).kind
    expect([at(299_999), at(300_000)]).toEqual(['skip', 'take'])
  })

  it.each([
    ['handed on', true],
    ['left behind in the middle of something', false],
  ])('a run that was %s is known as such', (_, handedOff) => {
    const given = lease([mine, true, handedOff, false, false])
    expect(decideClaim(given, { runId: mine, direct: false, worker: 'worker-2' }, now)).toMatchObject({
      clean: handedOff,
    })
  })
})
