import type { StateTable } from '../table.aws.ts'
import { firstFree, type TakenSlot, takeOne } from './slot-item.ts'

interface Slot extends TakenSlot {
  readonly runId: string
}

const partition = 'slots'
const slotKey = (slot: number) => ({ pk: partition, sk: `slot#${String(slot).padStart(3, '0')}` })

/** The slots for concurrent syncs, one item each. */
export function createSlots(table: StateTable) {
  return {
    /** Takes or keeps one of `count` slots until `until`. False if other runs have all of them. */
    takeSlot(runId: string, count: number, { now, until }: { now: number; until: number }): Promise<boolean> {
      return takeOne(table, { owner: { runId }, keyOf: slotKey, count, now, until }, async () => {
        const slots: Slot[] = []
        for await (const slot of table.query<Slot>(partition)) slots.push(slot)
        const own = slots.find((slot) => slot.runId === runId)
        const slot = own?.slot ?? freeSlot(slots, { count, now })
        return slot === undefined ? undefined : { slot, own }
      })
    },

    /** Frees the run's slot, if it has one. */
    async releaseSlot(runId: string): Promise<void> {
      for await (const taken of table.query<Slot>(partition)) {
        if (taken.runId !== runId) continue
        await table.remove(slotKey(taken.slot), { condition: 'runId = :runId', values: { ':runId': runId } })
      }
    },
  }
}

/** The first free one, of fewer than `count` while runs still have slots beyond a `count` that was lowered. */
export function freeSlot(
  slots: readonly Slot[],
  { count, now }: { count: number; now: number },
): number | undefined {
  const beyond = slots.filter(({ slot, until }) => slot > count && until > now)
  return firstFree(slots, { count: count - beyond.length, now })
}
