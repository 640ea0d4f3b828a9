import type { StateTable } from '../dynamodb/state-table.ts'
import type { Key } from '../item-version.ts'
import { decideSlots, type SlotRequest, type Slots, type SlotTimes } from './slot-decision.ts'

/** The slots of concurrent syncs over all entities, and those of scrolls that may be open at the platform at once. */
type Limit = 'syncs' | 'scrolls'

interface StoredSlots extends Slots {
  /** Grows with each write. */
  readonly revision: number
}

const keyOf = (limit: Limit): Key => ({ pk: 'slots', sk: limit })
/** A sync takes one slot, whatever the number of its ranges. */
const wholeRun = [0]
const maxTries = 20
const pauseMs = 25

/**
 * The slots of each limit, in one item each, which is written only if it is unchanged. `pause` waits for a random time
 * of at most this many milliseconds.
 */
export function createSlots(table: StateTable, pause: (maxMs: number) => Promise<void>) {
  /** As this process last wrote or read them. */
  const seen = new Map<Limit, StoredSlots>()

  async function read(limit: Limit): Promise<StoredSlots> {
    return (await table.get<StoredSlots>(keyOf(limit))) ?? { owners: [], waiting: [], revision: 0 }
  }

  /** The slots that the request is decided by first. */
  async function startingWith(limit: Limit, request: SlotRequest): Promise<StoredSlots> {
    // The worker has taken what it renews or releases, so it has seen it already.
    const known = request.kind === 'renew' || request.kind === 'release' ? seen.get(limit) : undefined
    return known && decideSlots(known, request).kind === 'write' ? known : read(limit)
  }

  /** False if the request is refused. */
  async function change(limit: Limit, request: SlotRequest): Promise<boolean> {
    const first = await startingWith(limit, request)
    let slots = first
    for (let tries = 1; tries <= maxTries; tries++) {
      const decision = decideSlots(slots, request, first)
      if (decision.kind !== 'write') {
        seen.set(limit, slots)
        return decision.kind === 'granted'
      }
      const next = { ...decision.slots, revision: slots.revision + 1 }
      const write = await table.replace<StoredSlots & Key>({ ...next, ...keyOf(limit) }, slots.revision)
      if (write.kind === 'written') {
        seen.set(limit, next)
        return true
      }
      if (tries > 1) await pause(pauseMs * tries)
      slots = (tries === 1 && write.stored) || (await read(limit))
    }
    throw new Error(
      `The slots for concurrent ${limit} changed during each of ${maxTries} tries to write them.`,
    )
  }

  return {
    /** Takes or keeps one of `count` slots until `until`. False if other runs have all of them. */
    takeSlot(runId: string, count: number, times: SlotTimes): Promise<boolean> {
      return change('syncs', { kind: 'take', runId, ranges: wholeRun, count, ...times })
    },

    /** Extends the slot that the run has taken. False if it was released or another run has it. */
    renewSlot(runId: string, count: number, times: SlotTimes): Promise<boolean> {
      return change('syncs', { kind: 'renew', runId, ranges: wholeRun, count, ...times })
    },

    /**
     * Takes or keeps one of `count` slots until `until`. False if all are taken, or if the run has a slot already
     * while another run waits for its first one.
     */
    takeScrollSlot(
      { runId, range }: { readonly runId: string; readonly range: number },
      count: number,
      times: SlotTimes,
    ): Promise<boolean> {
      return change('scrolls', { kind: 'take', runId, ranges: [range], count, ...times })
    },

    /** Takes one of `count` slots for an increment. False if all are taken, or if a run waits for its first one. */
    takeIncrementSlot(runId: string, count: number, times: SlotTimes): Promise<boolean> {
      return change('scrolls', { kind: 'take', runId, ranges: wholeRun, count, yields: true, ...times })
    },

    /** Extends the slots that ranges of the run have taken. False if one was released or another run has it. */
    renewScrollSlots(
      slots: { readonly runId: string; readonly ranges: readonly number[] },
      count: number,
      times: SlotTimes,
    ): Promise<boolean> {
      return change('scrolls', { kind: 'renew', ...slots, count, ...times })
    },

    async releaseScrollSlot({ runId, range }: { runId: string; range: number }): Promise<void> {
      await change('scrolls', { kind: 'release', runId, ranges: [range] })
    },

    /** Frees what a run that has ended still has. */
    async releaseSlots(runId: string): Promise<void> {
      const request = { kind: 'release-run', runId } as const
      await Promise.all([change('syncs', request), change('scrolls', request)])
    },

    /** Records until when a run waits for its first slot, so that others take no further one. */
    async waitForScrollSlot(runId: string, until: number): Promise<void> {
      await change('scrolls', { kind: 'wait', runId, until })
    },
  }
}
