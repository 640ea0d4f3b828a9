import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { claimEntity } from '../../../stored/claim/claim.ts'
import type { Claimant, ClaimDecision, IncrementClaimant } from '../../../stored/claim/decisions.ts'
import { decideClaim, leaseFor } from '../../../stored/claim/decisions.ts'
import { type Lease, leaseMs, type SnapshotLease } from '../../../stored/lease.ts'
import { newRun, newRunId } from '../../../stored/run/run.ts'
import { refused, skipped } from '../../../stored/run/run-changes.ts'
import { entityNamed } from '../../entity-named.ts'
import { callsOf, withCall } from '../store-calls.ts'
import { StateTestbed } from './state-testbed.ts'

const now = 1_000_000
const mine = 'run-mine'
const theirs = 'run-theirs'
const inProgress = (runId: string) => ({ kind: 'in-progress', runId, of: 'snapshot' }) as const

/** Whose lease it is, whether it has expired and was handed off, how its run is driven, and who claims it. */
interface Row {
  readonly holder: string
  readonly expired: boolean
  readonly handedOff: boolean
  readonly direct: boolean
  readonly claimant: Claimant['kind']
}

const either = [true, false]
const kinds = ['start', 'step', 'direct'] as const
const rows: Row[] = [mine, theirs].flatMap((holder) =>
  either.flatMap((expired) =>
    either.flatMap((handedOff) =>
      either.flatMap((direct) => kinds.map((claimant) => ({ holder, expired, handedOff, direct, claimant }))),
    ),
  ),
)

/** The decision in the words of the design. */
function expected({ holder, expired, handedOff, direct, claimant }: Row): ClaimDecision {
  const continued = { kind: 'continue', runId: holder, after: handedOff ? 'hand-off' : 'crash' } as const
  // The lease belongs to the run, so a retried step continues at once.
  if (holder === mine) return continued
  // A direct invocation continues where the last one stopped, however the abandoned run was driven.
  if (claimant === 'direct' && (expired || (direct && handedOff))) return continued
  // A lease that was not renewed for 5 minutes is free, and its run is settled. A duplicate start is skipped.
  return expired ? { kind: 'begin', abandoned: holder } : inProgress(holder)
}

const leaseOf = ({ holder, expired, handedOff, direct }: Row): Lease => ({
  runId: holder,
  worker: 'request-1#1',
  until: expired ? now - 1 : now + 1,
  handedOff,
  direct,
})
const claimant = (kind: Claimant['kind'], worker = 'request-2#1'): Claimant => ({
  for: 'snapshot',
  kind,
  runId: mine,
  worker,
})
const held: Row = { holder: theirs, expired: false, handedOff: false, direct: false, claimant: 'step' }

describe('the claim of an entity', () => {
  it.each(rows)('is decided for $claimant by lease of $holder: $expired $handedOff $direct', (row) => {
    expect(decideClaim({ lease: leaseOf(row) }, claimant(row.claimant), now)).toEqual(expected(row))
  })

  it.each(kinds)('begins a run for %s if there is no lease', (kind) => {
    expect(decideClaim({}, claimant(kind), now)).toEqual({ kind: 'begin', abandoned: undefined })
  })

  it.each([
    ['the same request', 'request-1#2', 'continue'],
    ['another request', 'request-2#1', 'in-progress'],
  ])('lets Lambda retry a direct invocation that crashed: %s', (_, worker, kind) => {
    const lease = leaseOf({ ...held, direct: true })
    expect(decideClaim({ lease }, claimant('direct', worker), now)).toMatchObject({ kind })
    expect(decideClaim({ lease }, claimant('step', worker), now).kind).toBe('in-progress')
  })

  it('takes a lease from its end on, not before', () => {
    const at = (until: number) =>
      decideClaim({ lease: { ...leaseOf(held), until } }, claimant('step'), now).kind
    expect([at(now - 1), at(now), at(now + 1)]).toEqual(['begin', 'begin', 'in-progress'])
  })

  it('takes a lease that was not renewed for five minutes', () => {
    const lease = { ...leaseOf(held), until: now + leaseMs }
    const at = (ms: number) => decideClaim({ lease }, claimant('step'), now + ms).kind
    expect([at(299_999), at(300_000)]).toEqual(['in-progress', 'begin'])
  })
})

describe('an increment', () => {
  const own = 'increment-own'
  const increment: IncrementClaimant = { for: 'increment', kind: 'step', runId: own, worker: 'w#1' }
  const begins = { kind: 'begin', abandoned: undefined }
  const lease = (runId: string, until = now + 1): Lease => {
    return { runId, worker: 'w#0', until, handedOff: false, direct: false, kind: 'increment' }
  }
  const prevents = (runId: string) => ({ kind: 'in-progress', runId, of: 'increment' })
  const scroll = (until: number) => ({ runId: theirs, until })

  it.each<[string, Parameters<typeof decideClaim>[0], object]>([
    ['a free entity', {}, begins],
    ['its own lease', { lease: lease(own) }, begins],
    ['the lease of another one from its end on', { lease: lease(theirs, now) }, begins],
    ['the lease of another one, not before its end', { lease: lease(theirs) }, prevents(theirs)],
    [
      'the lease of a full sync, not even an expired one',
      { lease: leaseOf({ ...held, expired: true }) },
      inProgress(theirs),
    ],
    ['an entity whose last scroll has expired', { incrementScroll: scroll(now) }, begins],
    [
      'an entity with an open scroll',
      { incrementScroll: scroll(now + 1) },
      { kind: 'scroll-open', until: now + 1 },
    ],
    [
      'the lease of another one with an open scroll, which says why',
      { lease: lease(theirs), incrementScroll: scroll(now + 1) },
      prevents(theirs),
    ],
    [
      'its own lease with an open scroll',
      { lease: lease(own), incrementScroll: scroll(now + 1) },
      { kind: 'scroll-open', until: now + 1 },
    ],
  ])('takes or is prevented from taking %s', (_, state, expected) => {
    expect(decideClaim(state, increment, now)).toEqual(expected)
  })

  it.each(kinds)('gives way at once to a full sync of %s', (kind) => {
    const state = { lease: lease(theirs), incrementScroll: scroll(now + 1) }
    expect(decideClaim(state, claimant(kind), now)).toEqual(begins)
  })
})

it('an acceptance is decided once for as long as its lease lasts, in whatever order it is claimed', () => {
  const withChanges = fc.constantFrom<[undefined, true]>(undefined, true)
  const accepting = fc.record({
    kind: fc.constantFrom('start', 'step'),
    withChanges,
    runId: fc.constant(mine),
  })
  const syncing = fc.record({ kind: fc.constantFrom('start', 'step'), runId: fc.constant(theirs) })
  const claims = fc.oneof(
    { weight: 3, arbitrary: accepting.map((claim) => ({ ...claim, accepts: true as const })) },
    syncing,
  )
  const steps = fc.array(fc.tuple(claims, fc.constantFrom(0, 0, 1_000, leaseMs)), { maxLength: 12 })
  const property = fc.property(steps, (taken) => {
    let [lease, at]: [SnapshotLease | undefined, number] = [undefined, now]
    return taken.every(([claim, laterMs], index) => {
      at += laterMs
      const asked = { for: 'snapshot', worker: `w${index}`, ...claim } as const
      const decision = decideClaim({ ...(lease && { lease }) }, asked, at)
      const pending: SnapshotLease | undefined = lease?.accepts && lease.until > at ? lease : undefined
      if (decision.kind === 'accepted') return decision.lease === pending
      if (decision.kind !== 'begin' && decision.kind !== 'continue') return decision.kind === 'in-progress'
      lease = leaseFor(decision, asked, at) as SnapshotLease
      const isSame = asked.kind === 'step' && lease.accepts && lease.withChanges === pending?.withChanges
      return pending === undefined || isSame === true
    })
  })
  fc.assert(property, { numRuns: 500 })
})

it('a pause prevents what a schedule begins, and nothing else', () => {
  const pause = { by: 'ana', since: new Date(0).toISOString(), reason: null, until: null }
  for (const claiming of ['snapshot', 'increment'] as const) {
    const asked = { ...claimant('step'), for: claiming }
    expect(decideClaim({ pause }, { ...asked, scheduled: true }, now)).toEqual({ kind: 'paused', pause })
    expect(decideClaim({ pause }, asked, now).kind).toBe('begin')
  }
})

describe('an entity', () => {
  const dayMs = 24 * 60 * 60_000
  const startedAt = Date.UTC(2026, 2, 1)
  const holder = newRunId(startedAt)
  const later = startedAt + dayMs
  const leaseUntil = (until: number): Lease => ({ ...leaseOf(held), runId: holder, until })
  const runOf = (runId: string) =>
    newRun({ runId, entity: entityNamed('CL'), acceptShrink: false, execution: undefined, now: startedAt })
  const end = {
    reason: 'Why.',
    progress: { documents: 0, pages: 0, total: undefined, rangeProgress: [] },
    now: startedAt,
  }

  let testbed: StateTestbed
  let state: StateTestbed['state']

  beforeEach(() => {
    testbed = new StateTestbed()
    state = testbed.state
  })

  const claim = (kind: Claimant['kind'], at = later, using = state) =>
    claimEntity(using, 'CL', { claimant: claimant(kind), now: () => at })
  const storeLease = (lease: Lease, abandonedRuns: readonly string[] = []) =>
    state.claimLease('CL', {}, { lease, abandonedRuns })
  const own: Lease = { ...leaseOf(held), runId: mine, worker: 'request-2#1', until: later + leaseMs }
  const begun = { kind: 'claimed', lease: own, decision: { kind: 'begin', abandoned: undefined } }

  it.each([
    ['start', { handedOff: true, direct: false }],
    ['step', { handedOff: false, direct: false }],
    ['direct', { handedOff: false, direct: true }],
  ] as const)('that is free is leased for five minutes to %s', async (kind, flags) => {
    const lease = { ...own, ...flags }
    expect(await claim(kind)).toEqual({ ...begun, lease, abandonedRuns: [], entityState: {} })
    expect(await state.readEntity('CL')).toEqual({ lease, abandonedRuns: [], recentRuns: [mine] })
  })

  it('is leased although the response was lost and the client repeated the write', async () => {
    testbed.repeatNextWrite()
    expect(await claim('step')).toEqual({ ...begun, abandonedRuns: [], entityState: {} })
  })

  it('that another run has leased is skipped, and keeps its lease', async () => {
    await state.createRun(runOf(holder))
    await storeLease(leaseUntil(later + 1))
    expect(await claim('step')).toEqual(inProgress(holder))
    expect((await state.readEntity('CL')).lease).toEqual(leaseUntil(later + 1))
  })

  it('whose lease has expired is leased, and its run added to the abandoned ones', async () => {
    await state.createRun(runOf(holder))
    await storeLease(leaseUntil(later), ['older'])
    expect(await claim('step')).toMatchObject({
      ...begun,
      decision: { kind: 'begin', abandoned: holder },
      abandonedRuns: ['older', holder],
    })
    expect(await state.readEntity('CL')).toEqual({
      lease: own,
      abandonedRuns: ['older', holder],
      recentRuns: [mine, holder],
    })
  })

  it('whose run a direct invocation continues keeps the abandoned ones', async () => {
    await state.createRun(runOf(holder))
    await storeLease(leaseUntil(later), ['older'])
    const lease = { ...own, runId: holder, direct: true }
    expect(await claim('direct')).toMatchObject({
      lease,
      decision: { kind: 'continue', runId: holder, after: 'crash' },
      abandonedRuns: ['older'],
    })
    expect(await state.readEntity('CL')).toEqual({ lease, abandonedRuns: ['older'], recentRuns: [holder] })
  })

  it('is free, with the slots of its run, once that run has ended', async () => {
    await state.createRun(skipped(runOf(holder), end))
    await storeLease(leaseUntil(later + 1), ['older'])
    await state.takeSlot(holder, 1, { now: later, until: later + 1 })
    expect(await claim('step')).toMatchObject({ ...begun, abandonedRuns: ['older'] })
    expect(await state.takeSlot(mine, 1, { now: later, until: later + 1 })).toBe(true)
  })

  it('is free, with all slots of its run, wherever the release of that run stopped', async () => {
    const times = { now: later, until: later + 60_000 }
    const prepared = async () => {
      const testbed = new StateTestbed()
      await testbed.state.createRun(skipped(runOf(holder), end))
      await testbed.state.claimLease('CL', {}, { lease: leaseUntil(later + 60_000), abandonedRuns: [] })
      await testbed.state.takeSlot(holder, 1, times)
      await testbed.state.takeScrollSlot({ runId: holder, range: 0 }, 1, times)
      return testbed
    }
    const first = await prepared()
    const calls = await callsOf(first, () => first.state.release('CL', holder))
    expect(calls).toBeGreaterThan(3)
    for (let call = 1; call <= calls; call++) {
      const { dynamodb, state: store } = await prepared()
      await withCall({ dynamodb }, { call, happens: { kind: 'crash' } }, () => store.release('CL', holder))
      expect(await claim('step', later, store)).toMatchObject({ kind: 'claimed' })
      expect(await store.takeSlot(mine, 1, times)).toBe(true)
      expect(await store.takeScrollSlot({ runId: mine, range: 0 }, 1, times)).toBe(true)
    }
  })

  it('is free if the item of its run has expired, which takes at least 30 days', async () => {
    const expiry = startedAt + 30 * dayMs
    await storeLease(leaseUntil(expiry + 10))
    expect(await claim('step', expiry)).toEqual(inProgress(holder))
    expect(await claim('step', expiry + 1)).toMatchObject({ decision: begun.decision, abandonedRuns: [] })
  })

  it('stays with the own run, which is continued even if it has ended', async () => {
    await state.createRun(skipped(runOf(mine), end))
    await storeLease({ ...own, worker: 'request-1#1' })
    expect(await claim('step')).toMatchObject({
      lease: own,
      decision: { kind: 'continue', runId: mine, after: 'crash' },
    })
  })

  it('that another worker of the same run claims at the same moment is claimed once more, by this worker', async () => {
    const others = { ...own, worker: 'request-1#1' }
    const using: typeof state = {
      ...state,
      claimLease: async (...given) => {
        const { lease } = await state.readEntity('CL')
        if (!lease) await storeLease(others)
        return lease ? state.claimLease(...given) : false
      },
    }
    expect(await claim('step', later, using)).toMatchObject({ kind: 'claimed', lease: own })
    expect((await state.readEntity('CL')).lease).toEqual(own)
  })

  it('that an increment has leased for itself keeps its recent and its abandoned runs', async () => {
    await storeLease(leaseUntil(later), ['older'])
    await state.createRun(skipped(runOf(holder), end))
    const increment = { for: 'increment', kind: 'start', runId: 'i', worker: 'start#i' } as const
    const lease = { runId: 'i', worker: 'start#i', until: later + leaseMs, handedOff: true, direct: false }
    const claimed = await claimEntity(state, 'CL', { claimant: increment, now: () => later })
    expect(claimed).toMatchObject({ kind: 'claimed', lease: { ...lease, kind: 'increment' } })
    expect(await state.readEntity('CL')).toEqual({
      lease: { ...lease, kind: 'increment' },
      abandonedRuns: ['older'],
      recentRuns: [holder],
    })
  })

  it.each<[string, number, object]>([
    ['is kept until its end', 1, inProgress(holder)],
    ['is free for an increment from its end on', 0, { kind: 'claimed' }],
  ])('whose lease is that of an acceptance that never began %s', async (_, leftMs, expected) => {
    await state.createRun(refused(runOf(holder), end))
    await storeLease({ ...leaseUntil(later + leftMs), accepts: true } as Lease)
    const increment = { for: 'increment', kind: 'step', runId: 'i', worker: 'w#i' } as const
    expect(await claimEntity(state, 'CL', { claimant: increment, now: () => later })).toMatchObject(expected)
  })

  /** A store whose claims come after what another worker does. */
  const claimingAfter = (work: () => Promise<unknown>): typeof state => ({
    ...state,
    claimLease: async (...given) => {
      await work()
      return state.claimLease(...given)
    },
  })

  it('that another worker claims at the same moment is skipped', async () => {
    const other = leaseUntil(later + 1)
    await state.createRun(runOf(holder))
    const using = claimingAfter(() => storeLease(other))
    expect(await claim('step', later, using)).toEqual(inProgress(holder))
  })

  it('that is released at the same moment is leased', async () => {
    await state.createRun(runOf(holder))
    await storeLease(leaseUntil(later))
    const using = claimingAfter(() => state.releaseLease('CL', holder))
    expect(await claim('step', later, using)).toMatchObject(begun)
  })
})
