import { itemVersion, type Key } from './item-version.ts'
import type { StateTable } from './table.aws.ts'

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

interface SlotToWrite {
  readonly key: Key
  /** The fields that name who has the slot. */
  readonly holder: { readonly runId: string; readonly range?: number }
  readonly taken: TakenSlot
  /** The slot as it was read, if the holder has it already. */
  readonly own: TakenSlot | undefined
  readonly now: number
}

/**
 * Writes a slot that is free, or that is the holder's own and unchanged: a late request of an older worker must not
 * shorten its time. False if another worker has written it.
 */
export function writeSlot(
  table: StateTable,
  { key, holder, taken, own, now }: SlotToWrite,
): Promise<boolean> {
  const fields = Object.entries({ ...holder, ...taken, version: itemVersion })
  const equal = (names: readonly string[]) => names.map((name) => `#${name} = :${name}`)
  return table.update(key, {
    change: `SET ${equal(fields.map(([name]) => name)).join(', ')}`,
    condition: own
      ? [...equal(Object.keys(holder)), '#until = :before'].join(' AND ')
      : 'attribute_not_exists(#runId) OR #until <= :now',
    names: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
    values: {
      ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
      ...(own ? { ':before': own.until } : { ':now': now }),
    },
  })
}
