import { itemVersion } from './item-version.ts'
import type { StateTable } from './table.aws.ts'

interface Slot {
  readonly slot: number
  readonly runId: string
  /** Epoch milliseconds. The slot is free from then on. */
  readonly until: number
}

const partition = 'slots'
const slotKey = (slot: number) => ({ pk: partition, sk: `slot#${String(slot).padStart(3, '0')}` })

/** The slots for concurrent syncs, one item each. */
export function createSlots(table: StateTable) {
  return {
    /**
     * Takes or keeps one of `count` slots until `until`. False if other runs have all of them. A late request of an
     * older worker never shortens the time of its run's slot.
     */
    async takeSlot(
      runId: string,
      count: number,
      { now, until }: { now: number; until: number },
    ): Promise<boolean> {
      // A refused write means that another worker has just taken the slot, so that the next look finds one fewer.
      for (let look = 0; look <= count; look++) {
        const slots: Slot[] = []
        for await (const slot of table.query<Slot>(partition)) slots.push(slot)
        if (slots.some((slot) => slot.runId === runId && slot.until >= until)) return true
        const [slot] = slotsToTry(slots, { runId, count, now })
        if (slot === undefined) return false
        const taken = await table.update(slotKey(slot), {
          change: 'SET #runId = :runId, #until = :until, #slot = :slot, #version = :version',
          condition:
            'attribute_not_exists(#runId) OR #until <= :now OR (#runId = :runId AND #until <= :until)',
          names: { '#runId': 'runId', '#until': 'until', '#slot': 'slot', '#version': 'version' },
          values: { ':runId': runId, ':until': until, ':slot': slot, ':now': now, ':version': itemVersion },
        })
        if (taken) return true
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

/**
 * A run keeps the slot that it has. Others take a free one, fewer while runs still hold slots beyond a `count` that was
 * lowered.
 */
export function slotsToTry(
  slots: readonly Slot[],
  { runId, count, now }: { runId: string; count: number; now: number },
): number[] {
  const own = slots.find((slot) => slot.runId === runId)
  if (own) return [own.slot]
  const held = slots.filter(({ until }) => until > now).map(({ slot }) => slot)
  const beyond = held.filter((slot) => slot > count).length
  const all = Array.from({ length: Math.max(0, count - beyond) }, (_, index) => index + 1)
  return all.filter((slot) => !held.includes(slot))
}
