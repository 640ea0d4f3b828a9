import type { StateTable } from '../table.aws.ts'
import { firstFree, type TakenSlot, takeOne } from './slot-item.ts'

interface ScrollSlot extends TakenSlot {
  readonly runId: string
  readonly range: number
}

/** A run that has no scroll open and waits for its first slot. */
interface WaitingRun {
  readonly waitingRunId: string
  readonly until: number
}

export interface ScrollOwner {
  readonly runId: string
  readonly range: number
}

const ownerNames = { '#runId': 'runId', '#range': 'range' }
const partition = 'scroll-slots'
const slotKey = (slot: number) => ({ pk: partition, sk: `slot#${String(slot).padStart(3, '0')}` })
const waitingKey = (runId: string) => ({ pk: partition, sk: `waiting#${runId}` })

/** The scrolls that may be open at once over all entities, one item per slot. Shared fairly between runs. */
export function createScrollSlots(table: StateTable) {
  async function read() {
    const slots: ScrollSlot[] = []
    const waiting: WaitingRun[] = []
    for await (const item of table.query<ScrollSlot | WaitingRun>(partition)) {
      if ('waitingRunId' in item) waiting.push(item)
      else slots.push(item)
    }
    return { slots, waiting }
  }

  return {
    /**
     * Takes or keeps one of `count` slots until `until`. False if all are taken, or if the run has a slot already
     * while another run waits for its first one.
     */
    async takeScrollSlot(
      { runId, range }: ScrollOwner,
      count: number,
      { now, until }: { readonly now: number; readonly until: number },
    ): Promise<boolean> {
      let isWaiting = false
      const request = { owner: { runId, range }, keyOf: slotKey, count, now, until }
      const isTaken = await takeOne(table, request, async () => {
        const { slots, waiting } = await read()
        isWaiting = waiting.some((run) => run.waitingRunId === runId)
        const own = slots.find((slot) => slot.runId === runId && slot.range === range && slot.slot <= count)
        const hasOther = slots.some((slot) => slot.runId === runId && slot.until > now)
        const othersWait = waiting.some((run) => run.waitingRunId !== runId && run.until > now)
        if (!own && hasOther && othersWait) return undefined
        const slot = own?.slot ?? firstFree(slots, { count, now })
        return slot === undefined ? undefined : { slot, own }
      })
      if (isTaken && isWaiting) await table.remove(waitingKey(runId), {})
      return isTaken
    },

    /** Frees the slot of one range. */
    async releaseScrollSlot({ runId, range }: ScrollOwner): Promise<void> {
      const { slots } = await read()
      for (const slot of slots.filter((one) => one.runId === runId && one.range === range))
        await table.remove(slotKey(slot.slot), ownedBy(slot))
    },

    /** Frees what a run that has ended still has. */
    async releaseScrollSlots(runId: string): Promise<void> {
      const { slots, waiting } = await read()
      for (const slot of slots.filter((one) => one.runId === runId))
        await table.remove(slotKey(slot.slot), ownedBy(slot))
      if (waiting.some((run) => run.waitingRunId === runId)) await table.remove(waitingKey(runId), {})
    },

    /** Records until when a run waits for its first slot, so that others take no further one. */
    async waitForScrollSlot(runId: string, until: number): Promise<void> {
      await table.put({ ...waitingKey(runId), waitingRunId: runId, until })
    },
  }
}

function ownedBy({ runId, range }: ScrollSlot) {
  return {
    condition: '#runId = :runId AND #range = :range',
    names: ownerNames,
    values: { ':runId': runId, ':range': range },
  }
}
