import { isDeepStrictEqual } from 'node:util'

/** A slot that a range of a run has until a time in epoch milliseconds. It is free from then on. */
export interface OwnedSlot {
  readonly runId: string
  readonly range: number
  readonly until: number
}

/** A run that has no slot and waits for its first one. */
export interface WaitingRun {
  readonly runId: string
  readonly until: number
}

/** The slots of one limit: who has one, and who waits for one. */
export interface Slots {
  readonly owners: readonly OwnedSlot[]
  readonly waiting: readonly WaitingRun[]
}

export interface SlotTimes {
  readonly now: number
  readonly until: number
}

interface OfRanges {
  readonly runId: string
  readonly ranges: readonly number[]
}

export type SlotRequest =
  /** Takes slots, or keeps them. One that yields takes none while a run waits for its first one. */
  | ({ readonly kind: 'take'; readonly count: number; readonly yields?: true } & OfRanges & SlotTimes)
  /** Keeps slots that were taken. */
  | ({ readonly kind: 'renew'; readonly count: number } & OfRanges & SlotTimes)
  | ({ readonly kind: 'release' } & OfRanges)
  /** The run has ended. */
  | { readonly kind: 'release-run'; readonly runId: string }
  /** Other runs take no further slot before `until`. */
  | { readonly kind: 'wait'; readonly runId: string; readonly until: number }

export type SlotDecision =
  /** Granted once this is written. */
  | { readonly kind: 'write'; readonly slots: Slots }
  /** Granted, with nothing to write. */
  | { readonly kind: 'granted' }
  | { readonly kind: 'refused' }

const granted = { kind: 'granted' } as const
const refused = { kind: 'refused' } as const

/**
 * What a request does to the slots. `first` are those that it read first, before other requests were written: what
 * changed since then for its own ranges was written by another worker of its run, or by this request when its response
 * was lost.
 */
export function decideSlots(slots: Slots, request: SlotRequest, first: Slots = slots): SlotDecision {
  const { runId } = request
  switch (request.kind) {
    case 'take':
    case 'renew':
      return decideClaim(slots, request, first)
    case 'release': {
      const { own, others } = divide(slots, request)
      // A newer worker of the run has taken the slot since.
      const isChanged = !isDeepStrictEqual(own, divide(first, request).own)
      return own.length === 0 || isChanged ? granted : { kind: 'write', slots: { ...slots, owners: others } }
    }
    case 'release-run': {
      const [owners, waiting] = [withoutRun(slots.owners, runId), withoutRun(slots.waiting, runId)]
      const isOwner = owners.length < slots.owners.length || waiting.length < slots.waiting.length
      return isOwner ? { kind: 'write', slots: { owners, waiting } } : granted
    }
    case 'wait': {
      const own = (of: Slots) => of.waiting.find((run) => run.runId === runId)
      if (!isDeepStrictEqual(own(slots), own(first))) return granted
      const waiting = [...withoutRun(slots.waiting, runId), { runId, until: request.until }]
      return { kind: 'write', slots: { ...slots, waiting } }
    }
  }
}

function decideClaim(
  slots: Slots,
  request: SlotRequest & { readonly kind: 'take' | 'renew' },
  first: Slots,
): SlotDecision {
  const { kind, runId, ranges, count, now, until } = request
  const isLive = (slot: { readonly until: number }) => slot.until > now
  const { own, others } = divide(slots, request)
  const ownLive = own.filter(isLive)
  const before = divide(first, request).own
  // Released, or taken by another run after they had expired.
  if (own.length < (kind === 'renew' ? ranges.length : before.length)) return refused
  const isChanged = !isDeepStrictEqual(own, before)
  if (isChanged && ownLive.length === ranges.length) return granted

  const live = others.filter(isLive)
  // An owner keeps its slot even if the count was lowered.
  if (ownLive.length < ranges.length) {
    if (live.length + ranges.length > count) return refused
    const yields = kind === 'take' && request.yields === true
    const isFurther = yields || (kind === 'take' && live.some((slot) => slot.runId === runId))
    if (isFurther && withoutRun(slots.waiting, runId).some(isLive)) return refused
  }
  // An expired slot stays with its owner until another one needs it: its worker may only be slow.
  const surplus = Math.max(0, others.length + ranges.length - count)
  const replaced = others.filter((slot) => !isLive(slot)).slice(0, surplus)
  const kept = others.filter((slot) => !replaced.includes(slot))
  const taken = ranges.map((range) => ({ runId, range, until }))
  const waiting = withoutRun(slots.waiting, runId).filter(isLive)
  return { kind: 'write', slots: { owners: [...kept, ...taken], waiting } }
}

/** The slots of these ranges of the run, and all others. */
function divide({ owners }: Slots, { runId, ranges }: OfRanges) {
  const isOwn = (slot: OwnedSlot) => slot.runId === runId && ranges.includes(slot.range)
  return { own: owners.filter(isOwn), others: owners.filter((slot) => !isOwn(slot)) }
}

function withoutRun<T extends { readonly runId: string }>(entries: readonly T[], runId: string): T[] {
  return entries.filter((entry) => entry.runId !== runId)
}
