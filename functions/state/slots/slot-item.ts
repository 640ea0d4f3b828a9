import { itemVersion, type Key } from '../item-version.ts'
import type { StateTable } from '../table.aws.ts'

/** A slot that is taken until a time in epoch milliseconds. It is free from then on. */
export interface TakenSlot {
  readonly slot: number
  readonly until: number
}

/** The first of `count` slots that is not taken. */
export function firstFree(
  slots: readonly TakenSlot[],
  { count, now }: { readonly count: number; readonly now: number },
): number | undefined {
  for (let slot = 1; slot <= count; slot++)
    if (!slots.some((taken) => taken.slot === slot && taken.until > now)) return slot
  return undefined
}

/** What a owner takes or keeps until a time. Times are in epoch milliseconds. */
export interface SlotRequest {
  /** The fields that name who has the slot. */
  readonly owner: { readonly runId: string; readonly range?: number }
  readonly keyOf: (slot: number) => Key
  readonly count: number
  readonly now: number
  readonly until: number
}

/** A slot that the owner may write: its own, as it was read, or a free one. */
export interface WritableSlot {
  readonly slot: number
  readonly own: TakenSlot | undefined
}

/** Takes or keeps the slot that `look` finds. False if it finds none. */
export async function takeOne(
  table: StateTable,
  request: SlotRequest,
  look: () => Promise<WritableSlot | undefined>,
): Promise<boolean> {
  let isRefused = false
  // A refused write means that another worker has just taken the slot, so that the next look finds one fewer.
  for (let looks = 0; looks <= request.count; looks++) {
    const found = await look()
    if (!found) return false
    // It was written by another worker of the run, or by a request whose answer was lost.
    if (isRefused && found.own && found.own.until > request.now) return true
    if (await writeSlot(table, request, found)) return true
    isRefused = true
  }
  return false
}

/**
 * Writes a slot that is free, or that is the owner's own and unchanged: a late request of an older worker must not
 * shorten its time. False if another worker has written it.
 */
function writeSlot(
  table: StateTable,
  { owner, keyOf, now, until }: SlotRequest,
  { slot, own }: WritableSlot,
): Promise<boolean> {
  const fields = Object.entries({ ...owner, slot, until, version: itemVersion })
  const equal = (names: readonly string[]) => names.map((name) => `#${name} = :${name}`)
  return table.update(keyOf(slot), {
    change: `SET ${equal(fields.map(([name]) => name)).join(', ')}`,
    condition: own
      ? [...equal(Object.keys(owner)), '#until = :before'].join(' AND ')
      : 'attribute_not_exists(#runId) OR #until <= :now',
    names: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
    values: {
      ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
      ...(own ? { ':before': own.until } : { ':now': now }),
    },
  })
}
