import { dayMs, minuteMs } from '../../functions/runtime/durations.ts'
import { absent, equal, type StateTable } from '../dynamodb/state-table.ts'
import type { Key } from '../item-version.ts'
import { freeSlots, type QueuedRun, type Slots, type Waiters } from './hand-over.ts'
import type { FreeingRequest, SlotRequest, SlotTimes, TakingRequest } from './slot-decision.ts'
import { decideSlots } from './slot-decision.ts'

/** The slots of concurrent syncs over all entities, and those of scrolls that may be open at the platform at once. */
export const limits = ['syncs', 'scrolls'] as const
export type Limit = (typeof limits)[number]

/** What a function needs that frees slots. */
export interface Waker {
  /** The slots of each limit. */
  readonly counts: Readonly<Record<Limit, number>>
  readonly now: () => number
  /** Continues the execution that waits with this token. It is `gone` if it no longer waits. */
  readonly wake: (token: string) => Promise<Woken>
  /** Who wakes: the name of the function. */
  readonly name: string
}

export type Woken = { readonly kind: 'woken' | 'gone' } | { readonly kind: 'failed'; readonly reason: string }

/** A function that could not wake a run, from the first time until it has woken one. */
export interface NotWoken {
  /** Its name. */
  readonly by: string
  readonly runId: string
  readonly reason: string
  /** ISO 8601. */
  readonly since: string
  /** Epoch milliseconds. If nobody had to be woken until then, nothing is known any more. */
  readonly until: number
}

interface StoredSlots extends Slots {
  /** Grows with each write. */
  readonly revision: number
}

const pk = 'slots'
const keyOf = (limit: Limit): Key => ({ pk, sk: limit })
const queuePrefix = (limit: Limit) => `waiting#${limit}#`
const queueKey = (limit: Limit, runId: string): Key => ({ pk, sk: `${queuePrefix(limit)}${runId}` })
const notWokenPrefix = 'not-woken#'
const notWokenMs = dayMs
const fineMs = 5 * minuteMs
/** A sync takes one slot, whatever the number of its ranges. */
const wholeRun = [0]
const maxTries = 20
const pauseMs = 25

/**
 * The slots of each limit, in one item each, which is written only if it is unchanged. Each run that waits has an item of
 * its own, so that hundreds can begin to wait at once. `pause` waits for a random time of at most this many milliseconds.
 * Without a `waker`, runs that wait find a slot only when they look for it themselves.
 */
export function createSlots(
  table: StateTable,
  { pause, waker }: { readonly pause: (maxMs: number) => Promise<void>; readonly waker: Waker | undefined },
) {
  /** As this process last wrote or read them. */
  const seen = new Map<Limit, StoredSlots>()
  /** Until then, a run that this process wakes shows nothing new. Another process of the function may have failed. */
  let fineUntil = 0

  async function read(limit: Limit): Promise<StoredSlots> {
    return (await table.get<StoredSlots>(keyOf(limit))) ?? { owners: [], waiting: [], revision: 0 }
  }

  /** The slots that the request is decided by first. */
  async function startingWith(limit: Limit, request: SlotRequest): Promise<StoredSlots> {
    // The worker has taken what it renews or releases, so it has seen it already.
    const known = request.kind === 'renew' || request.kind === 'release' ? seen.get(limit) : undefined
    return known && decideSlots(known, request).kind === 'write' ? known : read(limit)
  }

  async function settle(limit: Limit, request: SlotRequest, first: StoredSlots): Promise<Settled> {
    let slots = first
    for (let tries = 1; tries <= maxTries; tries++) {
      const decision = decideSlots(slots, request, first)
      if (decision.kind !== 'write') {
        seen.set(limit, slots)
        return { kind: decision.kind, slots, handedTo: [] }
      }
      const next = { ...decision.slots, revision: slots.revision + 1 }
      const write = await table.replace<StoredSlots & Key>({ ...next, ...keyOf(limit) }, slots.revision)
      if (write.kind === 'written') {
        seen.set(limit, next)
        return { kind: 'written', slots: next, handedTo: decision.handedTo ?? [] }
      }
      if (tries > 1) await pause(pauseMs * tries)
      slots = (tries === 1 && write.stored) || (await read(limit))
    }
    throw new Error(
      `The slots for concurrent ${limit} changed during each of ${maxTries} tries to write them.`,
    )
  }

  /** False if the request is refused. */
  async function change(limit: Limit, request: SlotRequest): Promise<boolean> {
    const settled = await settle(limit, request, await startingWith(limit, request))
    return settled.kind !== 'refused'
  }

  /** Frees slots, and wakes the runs that get what is free, until nobody gets one, or cannot be woken. */
  async function free(limit: Limit, freeing: FreeingRequest, known?: StoredSlots): Promise<void> {
    let request = freeing
    let first = known ?? (await startingWith(limit, freeing))
    let canWake = true
    for (;;) {
      const waiters = canWake && mayWait(limit, first) ? await waitersOf(limit) : undefined
      const { kind, slots, handedTo } = await settle(limit, { ...request, waiters }, first)
      const { gone, asleep } = await wakeAll(limit, handedTo)
      // A run that began to wait after the queue was read, and before the slot was free, did not find it.
      const isOffered = kind === 'written' && mayWait(limit, slots) && hasFree(limit, slots)
      if (!canWake || (gone.length + asleep.length === 0 && !isOffered)) return
      // What it was given is free for everybody again.
      canWake = asleep.length === 0
      request = { kind: 'hand-over', gone: [...gone, ...asleep] }
      first = slots
    }
  }

  /** Runs that wait for a scroll are in the item too, since they stop others from taking a further one. */
  const mayWait = (limit: Limit, { waiting }: Slots) => limit === 'syncs' || waiting.length > 0

  const hasFree = (limit: Limit, slots: Slots) =>
    waker !== undefined && freeSlots(slots, { count: waker.counts[limit], now: waker.now() }) > 0

  async function waitersOf(limit: Limit): Promise<Waiters | undefined> {
    if (!waker) return undefined
    const count = waker.counts[limit]
    const now = waker.now()
    const queue: QueuedRun[] = []
    // No more than `count` of them have a slot already, and no more than `count` get one.
    const range = { prefix: queuePrefix(limit), limit: 2 * count + 1 }
    for await (const run of table.query<QueuedRun>(pk, range)) {
      if (run.until > now) queue.push(run)
      else await table.remove(queueKey(limit, run.runId), { until: equal(run.until) })
    }
    return { queue, count, now }
  }

  /** The runs whose executions do not wait any more, and those that cannot be woken. */
  async function wakeAll(limit: Limit, runs: readonly QueuedRun[]) {
    const [gone, asleep]: [string[], string[]] = [[], []]
    await Promise.all(
      runs.map(async (run) => {
        // An execution that did not wait when the queue was read may wait since, and have found no slot yet.
        const current = run.token === undefined ? await table.get<QueuedRun>(queueKey(limit, run.runId)) : run
        if (!current) return gone.push(run.runId)
        const { runId, token } = current
        if (token === undefined || !waker) return 0
        const woken = await waker.wake(token)
        await recordWake(waker, runId, woken)
        if (woken.kind === 'failed') return asleep.push(runId)
        await table.remove(queueKey(limit, runId), { token: equal(token) })
        return woken.kind === 'gone' && gone.push(runId)
      }),
    )
    return { gone, asleep }
  }

  /** What it could not do is a problem until it can. */
  async function recordWake({ name, now }: Waker, runId: string, woken: Woken): Promise<void> {
    const hasFailed = woken.kind === 'failed'
    if (woken.kind === 'gone' || (!hasFailed && now() < fineUntil)) return
    const key = { pk, sk: `${notWokenPrefix}${name}` }
    const stored = await table.get<NotWoken>(key)
    const known = stored && stored.until > now() ? stored : undefined
    fineUntil = hasFailed ? 0 : now() + fineMs
    if (hasFailed) {
      const since = known?.since ?? new Date(now()).toISOString()
      const failed: NotWoken = { by: name, runId, reason: woken.reason, since, until: now() + notWokenMs }
      await table.put({ ...key, ...failed })
    } else if (known) await table.put({ ...key, ...known, until: 0 })
  }

  return {
    /** Hands over what is free, to the runs that have waited longest. */
    async offerSlots(): Promise<void> {
      await Promise.all(limits.map((limit) => free(limit, { kind: 'hand-over', gone: [] })))
    },

    /** The functions that could not wake a run. */
    async readNotWoken(now: number): Promise<NotWoken[]> {
      const found: NotWoken[] = []
      for await (const failed of table.query<NotWoken>(pk, { prefix: notWokenPrefix }))
        if (failed.until > now) found.push(failed)
      return found
    },

    /** Takes or keeps one of `count` slots until `until`. False if other runs have all of them. */
    takeSlot(runId: string, count: number, times: SlotTimes): Promise<boolean> {
      return change('syncs', { kind: 'take', runId, ranges: wholeRun, scrolling: [], count, ...times })
    },

    /** Extends the slot that the run has taken. False if it was released or another run has it. */
    renewSlot(runId: string, count: number, times: SlotTimes): Promise<boolean> {
      return change('syncs', { kind: 'renew', runId, ranges: wholeRun, count, ...times })
    },

    /**
     * Takes or keeps one of `count` slots until `until`. False if all are taken, or if another run waits for its first
     * one while this run has a slot already or `yields`, as an increment does. Frees the slots of ranges of the run that
     * are not `scrolling`.
     */
    takeScrollSlot(
      { range, ...slot }: Pick<TakingRequest, 'runId' | 'yields'> & { range: number; scrolling?: number[] },
      count: number,
      times: SlotTimes,
    ): Promise<boolean> {
      return change('scrolls', { kind: 'take', scrolling: [], ...slot, ranges: [range], count, ...times })
    },

    /** Extends the slots that ranges of the run have taken. False if one was released or another run has it. */
    renewScrollSlots(
      slots: { readonly runId: string; readonly ranges: readonly number[] },
      count: number,
      times: SlotTimes,
    ): Promise<boolean> {
      return change('scrolls', { kind: 'renew', ...slots, count, ...times })
    },

    async releaseScrollSlot({ runId, range }: { runId: string; range: number }): Promise<void> {
      await free('scrolls', { kind: 'release', runId, ranges: [range] })
    },

    /** Frees what a run that has ended still has. */
    async releaseSlots(runId: string): Promise<void> {
      await Promise.all(
        limits.map(async (limit) => {
          if (waker) await table.remove(queueKey(limit, runId), {})
          await free(limit, { kind: 'release-run', runId })
        }),
      )
    },

    /** Records until when a run waits for its first slot, so that others take no further one. */
    async waitForScrollSlot(runId: string, until: number): Promise<void> {
      await change('scrolls', { kind: 'wait', runId, until })
    },

    /** Queues a run that looks for a slot itself before `until`. */
    async queueRun(limit: Limit, run: { readonly runId: string; readonly until: number }): Promise<void> {
      // Its execution waits already: this request is late.
      await table.put({ ...queueKey(limit, run.runId), ...run }, { token: absent })
    },

    /** Queues a run whose execution waits until it is woken. What became free meanwhile is handed over now. */
    async awaitSlot(limit: Limit, run: Required<QueuedRun>): Promise<void> {
      await table.put({ ...queueKey(limit, run.runId), ...run })
      const slots = await read(limit)
      const now = waker?.now() ?? 0
      const isHandedOver = slots.owners.some(({ runId, until }) => runId === run.runId && until > now)
      const { gone, asleep } = isHandedOver ? await wakeAll(limit, [run]) : { gone: [], asleep: [] }
      // It is free for everybody at once.
      if (asleep.length > 0) await change(limit, { kind: 'hand-over', gone: asleep })
      else if (!isHandedOver || gone.length > 0) await free(limit, { kind: 'hand-over', gone }, slots)
    },
  }
}

interface Settled {
  readonly kind: 'written' | 'granted' | 'refused'
  readonly slots: StoredSlots
  readonly handedTo: readonly QueuedRun[]
}
