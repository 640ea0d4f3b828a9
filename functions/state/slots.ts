import { firstFree, type TakenSlot, writeSlot } from './slot-item.ts'
import type { StateTable } from './table.aws.ts'

interface Slot extends TakenSlot {
  readonly runId: string
}

const partition = 'slots'
const slotKey = (slot: number) => ({ pk: partition, sk: `slot#${String(slot).padStart(3, '0')}` })

/** The slots for concurrent syncs, one item each. */
export function createSlots(table: StateTable) {
  return {
    /** Takes or keeps one of `count` slots until `until`. False if other runs have all of them. */
    async takeSlot(
      runId: string,
      count: number,
      { now, until }: { now: number; until: number },
    ): Promise<boolean> {
      let isRefused = false
      // A refused write means that another worker has just taken the slot, so that the next look finds one fewer.
      for (let look = 0; look <= count; look++) {
        const slots: Slot[] = []
        for await (const slot of table.query<Slot>(partition)) slots.push(slot)
        const own = slots.find((slot) => slot.runId === runId)
        // It was written by another worker of the run, or by a request whose answer was lost.
        if (isRefused && own && own.until > now) return true
        const slot = own?.slot ?? freeSlot(slots, { count, now })
        if (slot === undefined) return false
        const taken = { slot, until }
        if (await writeSlot(table, { key: slotKey(slot), holder: { runId }, taken, own, now })) return true
        isRefused = true
      }
      return false
    },

    /** Frees the run's slot, if it has one. */
    async releaseSlot(runId: string): Promise<void> {
      for await (const held of table.query<Slot>(partition)) {
        if (held.runId !== runId) continue
        await table.remove(slotKey(held.slot), { condition: 'runId = :runId', values: { ':runId': runId } })
      }
    },
  }
}

/** The first free one, of fewer than `count` while runs still hold slots beyond a `count` that was lowered. */
export function freeSlot(
  slots: readonly Slot[],
  { count, now }: { count: number; now: number },
): number | undefined {
  const beyond = slots.filter(({ slot, until }) => slot > count && until > now)
  return firstFree(slots, { count: count - beyond.length, now })
}
