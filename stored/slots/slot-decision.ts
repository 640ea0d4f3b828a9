import { isDeepStrictEqual } from 'node:util'
import type { OwnedSlot, Slots } from './hand-over.ts'
import { anyRange, handOver, type QueuedRun, replaceExpired, type Waiters } from './hand-over.ts'

export interface SlotTimes {
  readonly now: number
  readonly until: number
}

interface OfRanges {
  readonly runId: string
  readonly ranges: readonly number[]
}

export type SlotRequest =
  | TakingRequest
  /** Keeps slots that were taken. */
  | ({ readonly kind: 'renew'; readonly count: number } & OfRanges & SlotTimes)
  | FreeingRequest
  /** Other runs take no further slot before `until`. */
  | { readonly kind: 'wait'; readonly runId: string; readonly until: number }

/** Takes slots, or keeps them. One that yields takes none while a run waits for its first one. */
export interface TakingRequest extends OfRanges, SlotTimes {
  readonly kind: 'take'
  readonly count: number
  readonly yields?: true
  /** The run's other ranges that scroll. Slots of the rest were left by a worker that is gone. */
  readonly scrolling: readonly number[]
}

/** Requests that hand what is free over to the runs that wait. */
export type FreeingRequest = { readonly waiters?: Waiters | undefined } & (
  | ({ readonly kind: 'release' } & OfRanges)
  /** The run has ended. */
  | { readonly kind: 'release-run'; readonly runId: string }
  /** Frees nothing, except what was handed over to runs that are gone. */
  | { readonly kind: 'hand-over'; readonly gone: readonly string[] }
)

export type SlotDecision =
  /** Granted once this is written. `handedTo`: the runs to wake then. */
  | { readonly kind: 'write'; readonly slots: Slots; readonly handedTo?: readonly QueuedRun[] }
  /** Granted, with nothing to write. */
  | { readonly kind: 'granted' }
  | { readonly kind: 'refused' }

const granted = { kind: 'granted' } as const
const refused = { kind: 'refused' } as const

/**
 * What a request does to the slots. `first` are those that it read first, before others were written: what changed since
 * then for its own ranges was written by another worker of its run, or by this request whose response was lost.
 */
export function decideSlots(slots: Slots, request: SlotRequest, first: Slots = slots): SlotDecision {
  switch (request.kind) {
    case 'take':
    case 'renew':
      return decideClaim(slots, request, first)
    case 'wait': {
      const { runId, until } = request
      const own = (of: Slots) => of.waiting.find((run) => run.runId === runId)
      if (!isDeepStrictEqual(own(slots), own(first))) return granted
      const waiting = [...withoutRun(slots.waiting, runId), { runId, until }]
      return { kind: 'write', slots: { ...slots, waiting } }
    }
    case 'release':
    case 'release-run':
    case 'hand-over': {
      const freed = free(slots, request, first)
      const next = request.waiters ? handOver(freed, request.waiters) : { slots: freed, to: [] }
      return next.slots === slots ? granted : { kind: 'write', slots: next.slots, handedTo: next.to }
    }
  }
}

/** The same slots if there is nothing to free. */
function free(slots: Slots, request: FreeingRequest, first: Slots): Slots {
  switch (request.kind) {
    case 'release': {
      const { own, others } = divide(slots, request)
      // A newer worker of the run has taken the slot since.
      const isChanged = !isDeepStrictEqual(own, divide(first, request).own)
      return own.length === 0 || isChanged ? slots : { ...slots, owners: others }
    }
    case 'release-run':
      return without(slots, ({ runId }) => runId === request.runId)
    case 'hand-over':
      return without(
        slots,
        ({ runId, range = anyRange }) => range === anyRange && request.gone.includes(runId),
      )
  }
}

function without(slots: Slots, isLeft: (entry: { runId: string; range?: number }) => boolean): Slots {
  const owners = slots.owners.filter((slot) => !isLeft(slot))
  const waiting = slots.waiting.filter((run) => !isLeft(run))
  const isSame = owners.length === slots.owners.length && waiting.length === slots.waiting.length
  return isSame ? slots : { owners, waiting }
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

  // A range that scrolls has its slot although it has expired.
  const held = others.filter((slot) => isLive(slot) || (kind === 'take' && slot.runId === runId))
  // An owner keeps its slot even if the count was lowered.
  if (ownLive.length < ranges.length) {
    if (held.length + ranges.length > count) return refused
    const yields = kind === 'take' && request.yields === true
    const isFurther = yields || (kind === 'take' && held.some((slot) => slot.runId === runId))
    if (isFurther && withoutRun(slots.waiting, runId).some(isLive)) return refused
  }
  const taken = ranges.map((range) => ({ runId, range, until }))
  const waiting = withoutRun(slots.waiting, runId).filter(isLive)
  return { kind: 'write', slots: { owners: replaceExpired(others, taken, { count, now }), waiting } }
}

/** The slots of these ranges of the run, and all others that stay. A run takes what was handed over to it. */
function divide(
  { owners }: Slots,
  request: TakingRequest | (OfRanges & { readonly kind: 'renew' | 'release' }),
) {
  const { runId, ranges } = request
  const isTaking = request.kind === 'take'
  const isNamed = (range: number) => ranges.includes(range) || (isTaking && range === anyRange)
  const isOwn = (slot: OwnedSlot) => slot.runId === runId && isNamed(slot.range)
  const isLeft = (slot: OwnedSlot) =>
    isTaking && slot.runId === runId && !request.scrolling.includes(slot.range)
  return { own: owners.filter(isOwn), others: owners.filter((slot) => !isOwn(slot) && !isLeft(slot)) }
}

function withoutRun<T extends { readonly runId: string }>(entries: readonly T[], runId: string): T[] {
  return entries.filter((entry) => entry.runId !== runId)
}
