/** A run that waits for a slot of one limit. The id of a run begins with its time, so the smallest has waited longest. */
export interface QueuedRun {
  readonly runId: string
  /** Epoch milliseconds. By then it looks for a slot itself. */
  readonly until: number
  /** Wakes its execution. Absent if it only looks itself: the execution is of 1.0.0, or the worker was invoked directly. */
  readonly token?: string
}

/** Who waits when a slot becomes free. */
export interface Waiters {
  readonly queue: readonly QueuedRun[]
  /** The slots of the limit. */
  readonly count: number
  readonly now: number
}

/** The range of a slot that was handed over: it is for the range that the run opens first. */
export const anyRange = -1
/** A run that was woken takes its slot within this time: Step Functions invokes the worker, which may be throttled. */
const handedOverMs = 60_000

/** Gives the slots that are free to the runs that have waited longest. Nobody else can take them until they expire. */
export function handOver(
  slots: Slots,
  { queue, count, now }: Waiters,
): { readonly slots: Slots; readonly to: readonly QueuedRun[] } {
  const isLive = ({ until }: { readonly until: number }) => until > now
  const live = slots.owners.filter(isLive)
  const owners = new Set(live.map(({ runId }) => runId))
  const to = queue
    .filter((run) => isLive(run) && !owners.has(run.runId))
    .toSorted((a, b) => (a.runId < b.runId ? -1 : 1))
    .slice(0, freeSlots(slots, { count, now }))
  if (to.length === 0) return { slots, to }
  const isNext = new Set(to.map(({ runId }) => runId))
  const taken = to.map(({ runId, token, until }) => ({
    runId,
    range: anyRange,
    until: token === undefined ? until : now + handedOverMs,
  }))
  // What was handed over to one of them before has expired.
  const others = slots.owners.filter(({ runId, range }) => !(range === anyRange && isNext.has(runId)))
  const waiting = slots.waiting.filter((run) => isLive(run) && !isNext.has(run.runId))
  return { slots: { owners: replaceExpired(others, taken, { count, now }), waiting }, to }
}

export function freeSlots(
  { owners }: Slots,
  { count, now }: { readonly count: number; readonly now: number },
): number {
  return Math.max(0, count - owners.filter(({ until }) => until > now).length)
}

/** An expired slot stays with its owner until another run needs it: its worker may only be slow. */
export function replaceExpired(
  others: readonly OwnedSlot[],
  taken: readonly OwnedSlot[],
  { count, now }: { readonly count: number; readonly now: number },
): OwnedSlot[] {
  const surplus = Math.max(0, others.length + taken.length - count)
  const takers = new Set(taken.map(({ runId }) => runId))
  const expired = others.filter(({ runId, until }) => until <= now && !takers.has(runId))
  const replaced = new Set(expired.slice(0, surplus))
  return [...others.filter((slot) => !replaced.has(slot)), ...taken]
}

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
