import type { StateTable } from './table.aws.ts'

interface Slot {
  readonly slot: number
  readonly runId: string
  /** Epoch milliseconds; from then on the place is free. */
  readonly until: number
}

const partition = 'slots'
const slotKey = (slot: number) => ({ pk: partition, sk: `slot#${String(slot).padStart(3, '0')}` })

/** The places for concurrent syncs, one item each. */
export function createSlots(table: StateTable) {
  return {
    /** Takes or keeps one of `count` places until `until`. False if all are taken by other runs. */
    async takeSlot(
      runId: string,
      count: number,
      { now, until }: { now: number; until: number },
    ): Promise<boolean> {
      const holders = new Map<number, Slot>()
      for await (const slot of table.query<Slot>(partition)) holders.set(slot.slot, slot)
      const all = Array.from({ length: count }, (_, index) => index + 1)
      const own = all.find((slot) => holders.get(slot)?.runId === runId)
      for (const slot of own ? [own] : all) {
        if (!own && (holders.get(slot)?.until ?? 0) > now) continue
        const taken = await table.update(slotKey(slot), {
          change: 'SET #runId = :runId, #until = :until, #slot = :slot',
          condition: 'attribute_not_exists(#runId) OR #runId = :runId OR #until <= :now',
          names: { '#runId': 'runId', '#until': 'until', '#slot': 'slot' },
          values: { ':runId': runId, ':until': until, ':slot': slot, ':now': now },
        })
        if (taken) return true
      }
      return false
    },

    /** Frees the run's place, if it has one. */
    async releaseSlot(runId: string): Promise<void> {
      for await (const held of table.query<Slot>(partition)) {
        if (held.runId !== runId) continue
        await table.remove(slotKey(held.slot), { condition: 'runId = :runId', values: { ':runId': runId } })
      }
    },
  }
}
