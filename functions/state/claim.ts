import { type Lease, leaseMs } from './lease.ts'
import { hasEnded } from './run.ts'
import type { StateStore } from './sync-state.aws.ts'

export interface Claimant {
  /** The run that the claim is for; a direct invocation goes on with the one it finds. */
  readonly runId: string
  readonly direct: boolean
  /** `<request id>#<when>`: Lambda calls again with the same request id what it was to do in the background. */
  readonly worker: string
}

export type Claim =
  /** Nobody works on the entity: begin the own run. `abandoned` is one that was left behind and has to be settled. */
  | { readonly kind: 'take'; readonly abandoned?: string }
  /** Go on with a run where it stopped; not `clean` if its last worker died in the middle of something. */
  | { readonly kind: 'go-on'; readonly runId: string; readonly clean: boolean }
  | { readonly kind: 'skip'; readonly runId: string }

export function decideClaim(lease: Lease | undefined, claimant: Claimant, now: number): Claim {
  if (!lease) return { kind: 'take' }
  const { runId, direct, handedOff } = lease
  const free = lease.until <= now
  const isRetry = direct && requestOf(lease.worker) === requestOf(claimant.worker)
  const goesOn = claimant.direct && (free || (direct && handedOff) || isRetry)
  if (runId === claimant.runId || goesOn) return { kind: 'go-on', runId, clean: handedOff }
  return free ? { kind: 'take', abandoned: runId } : { kind: 'skip', runId }
}

function requestOf(worker: string): string | undefined {
  return worker.split('#')[0]
}

interface Claimed {
  readonly claim: Claim
  readonly lease: Lease
  readonly abandonedRuns: readonly string[]
  readonly pageSize: number | undefined
}

/** Claims the entity's lease: decided on what was read, written only if that still holds. */
export async function claimEntity(
  state: StateStore,
  entity: string,
  claimant: { runId: string; worker: string; direct: boolean; handedOff?: boolean; now: () => number },
): Promise<Claimed> {
  const { runId, worker, direct, handedOff = false, now } = claimant
  for (;;) {
    const { lease: seen, abandonedRuns: known = [], pageSize } = await state.readEntity(entity)
    const claim = decideClaim(seen, { runId, direct, worker }, now())
    if (seen && seen.runId !== runId) {
      // A run that has ended needs no lease: its worker did not come to let go of it.
      const holder = await state.readRun(entity, seen.runId)
      if (holder && hasEnded(holder)) {
        await state.release(entity, seen.runId)
        continue
      }
      if (claim.kind === 'skip') return { claim, lease: seen, abandonedRuns: known, pageSize }
    }
    const lease: Lease = {
      runId: claim.kind === 'go-on' ? claim.runId : runId,
      worker,
      until: now() + leaseMs,
      handedOff,
      direct,
    }
    const abandonedRuns = claim.kind === 'take' && claim.abandoned ? [...known, claim.abandoned] : known
    if (await state.claimLease(entity, seen, { lease, abandonedRuns }))
      return { claim, lease, abandonedRuns, pageSize }
    // The write may have taken effect although its answer was lost and the client repeated it.
    const written = (await state.readEntity(entity)).lease
    if (written?.worker === worker) return { claim, lease: written, abandonedRuns, pageSize }
  }
}
