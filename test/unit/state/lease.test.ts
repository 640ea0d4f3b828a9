import { describe, expect, it } from 'vitest'
import { type Claim, type Claimant, decideClaim } from '../../../functions/state/claim.ts'
import { type Lease, leaseMs } from '../../../functions/state/lease.ts'

const now = 1_000_000
const mine = 'run-mine'
const theirs = 'run-theirs'

/** Whose lease it is, whether it has expired and was handed off, how its run is driven, and who claims it. */
interface Row {
  readonly holder: string
  readonly expired: boolean
  readonly handedOff: boolean
  readonly direct: boolean
  readonly claimant: Claimant['kind']
}

const either = [true, false]
const rows: Row[] = [mine, theirs].flatMap((holder) =>
  either.flatMap((expired) =>
    either.flatMap((handedOff) =>
      either.flatMap((direct) =>
        (['start', 'step', 'direct'] as const).map((claimant) => ({
          holder,
          expired,
          handedOff,
          direct,
          claimant,
        })),
      ),
    ),
  ),
)

/** The decision in the words of the design. */
function expected({ holder, expired, handedOff, direct, claimant }: Row): Claim {
  const continued: Claim = { kind: 'continue', runId: holder, after: handedOff ? 'hand-off' : 'crash' }
  // The lease belongs to the run, so a retried step continues at once.
  if (holder === mine) return continued
  // A direct invocation continues where the last one stopped, however the abandoned run was driven.
  if (claimant === 'direct' && (expired || (direct && handedOff))) return continued
  // A lease that was not renewed for 5 minutes is free, and its run is settled. A duplicate start is skipped.
  return expired ? { kind: 'begin', abandoned: holder } : { kind: 'skip', runId: holder }
}

const leaseOf = ({ holder, expired, handedOff, direct }: Row): Lease => ({
  runId: holder,
  worker: 'request-1#1',
  until: expired ? now - 1 : now + 1,
  handedOff,
  direct,
})
const claimant = (kind: Claimant['kind'], worker = 'request-2#1'): Claimant => ({ kind, runId: mine, worker })
const held: Row = { holder: theirs, expired: false, handedOff: false, direct: false, claimant: 'step' }

describe('the claim of an entity', () => {
  it.each(rows)('is decided for $claimant by lease of $holder: $expired $handedOff $direct', (row) => {
    expect(decideClaim(leaseOf(row), claimant(row.claimant), now)).toEqual(expected(row))
  })

  it.each(['start', 'step', 'direct'] as const)('begins a run for %s if there is no lease', (kind) => {
    expect(decideClaim(undefined, claimant(kind), now)).toEqual({ kind: 'begin', abandoned: undefined })
  })

  it.each([
    ['the same request', 'request-1#2', 'continue'],
    ['another request', 'request-2#1', 'skip'],
  ])('lets Lambda retry a direct invocation that crashed: %s', (_, worker, kind) => {
    const lease = leaseOf({ ...held, direct: true })
    expect(decideClaim(lease, claimant('direct', worker), now)).toMatchObject({ kind })
    expect(decideClaim(lease, claimant('step', worker), now).kind).toBe('skip')
  })

  it('takes a lease from its end on, not before', () => {
    const at = (until: number) => decideClaim({ ...leaseOf(held), until }, claimant('step'), now).kind
    expect([at(now - 1), at(now), at(now + 1)]).toEqual(['begin', 'begin', 'skip'])
  })

  it('takes a lease that was not renewed for five minutes', () => {
    const lease = { ...leaseOf(held), until: now + leaseMs }
    const at = (ms: number) => decideClaim(lease, claimant('step'), now + ms).kind
    expect([at(299_999), at(300_000)]).toEqual(['skip', 'begin'])
  })
})
