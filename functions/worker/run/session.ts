import type { EntitySettings } from '../../runtime/settings.ts'
import { type Lease, leaseMs } from '../../state/lease.ts'
import type { Run } from '../../state/run.ts'
import type { StateStore } from '../../state/sync-state.aws.ts'

/** A worker's hold on a run: its lease, its place among the concurrent syncs, and the right to write its item. */
export interface RunSession {
  readonly entity: EntitySettings
  /** The run as it was written last. */
  readonly run: Run
  /** Writes what has changed of the run. Throws `LeaseLost`. */
  save(changes: Partial<Run>): Promise<void>
  /** Counts a request and what came of it; written with the next change, at once if it was a fault. */
  count(request: { receivedBytes: number; fault?: string }): Promise<void>
  /** Renews lease and place now and then. Throws `LeaseLost`. */
  renew(): Promise<void>
  /** Takes one of the places for concurrent syncs. False if all are taken. */
  takeSlot(): Promise<boolean>
  /** Lets go so that the next worker of the run goes on after `waitMs`. */
  handOff(waitMs: number): Promise<void>
  /** Lets go of a run that has ended. */
  release(): Promise<void>
}

export interface SessionOptions {
  readonly state: StateStore
  readonly now: () => number
  readonly slots: number
}

const renewalMs = 20_000

export function createSession(
  { state, now, slots }: SessionOptions,
  entity: EntitySettings,
  held: { run: Run; lease: Lease },
): RunSession {
  let { run, lease } = held
  let renewedAt = now()
  let hasSlot = false

  const extend = async (change: Partial<Lease>, forMs: number) => {
    const until = now() + forMs
    lease = { ...lease, ...change, until }
    await state.renewLease(entity.name, lease)
    if (hasSlot) await state.takeSlot(run.runId, slots, { now: now(), until })
    renewedAt = now()
  }

  const save = async (changes: Partial<Run>) => {
    run = await state.writeRun({ ...run, ...changes, updatedAt: new Date(now()).toISOString() })
  }

  return {
    entity,
    get run() {
      return run
    },
    save,
    async count({ receivedBytes, fault }) {
      run = { ...run, requests: run.requests + 1, receivedBytes: run.receivedBytes + receivedBytes }
      if (fault) await save({ faults: { ...run.faults, [fault]: (run.faults[fault] ?? 0) + 1 } })
    },
    async renew() {
      // A clock that was set back must not keep us from it.
      if (Math.abs(now() - renewedAt) >= renewalMs) await extend({}, leaseMs)
    },
    async takeSlot() {
      hasSlot = await state.takeSlot(run.runId, slots, { now: now(), until: now() + leaseMs })
      return hasSlot
    },
    handOff: (waitMs) => extend({ handedOff: true }, waitMs + leaseMs),
    release: () => state.release(entity.name, run.runId),
  }
}
