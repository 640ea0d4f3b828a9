/** The queue of events in virtual time. Everything in a simulation happens as an event of this queue. */
export interface Scheduler {
  /** Epoch milliseconds of the virtual clock. */
  readonly now: () => number
  after(delayMs: number, action: () => void): void
  sleep(ms: number): Promise<void>
  /**
   * Registers work outside the simulation, such as compression. No event is released until it has ended, and its
   * result must reach the simulation as an event.
   */
  external(work: Promise<unknown>): void
  /** Releases events in order until `done`, until none is left, or until the time is over. */
  run(done: () => boolean, untilMs: number): Promise<void>
  readonly events: () => number
}

/** A seed takes hundreds of events. One that takes this many is in an endless loop. */
export const maxEvents = 60_000

interface Event {
  readonly at: number
  /** Of two events at the same time, the one that was scheduled first is released first. */
  readonly order: number
  readonly action: () => void
}

export function createScheduler(startMs: number): Scheduler {
  let time = startMs
  let planned = 0
  let released = 0
  const heap: Event[] = []
  let externalWork: Promise<unknown>[] = []

  const after = (delayMs: number, action: () => void) => {
    push(heap, { at: time + Math.max(0, Math.round(delayMs)), order: planned++, action })
  }
  return {
    now: () => time,
    after,
    sleep: (ms) => new Promise<void>((wake) => after(ms, wake)),
    events: () => released,
    external: (work) => void externalWork.push(work.catch(() => undefined)),
    async run(done, untilMs) {
      await parked()
      while (!done() && released < maxEvents) {
        const event = heap[0]
        if (!event || event.at > untilMs) return
        pop(heap)
        time = Math.max(time, event.at)
        released++
        event.action()
        await parked()
        while (externalWork.length > 0) {
          const current = externalWork
          externalWork = []
          await Promise.all(current)
          await parked()
        }
      }
    },
  }
}

/**
 * Lets all code run until it waits for an event again. Apart from events it waits only for settled promises and for
 * one `setImmediate` in a row (storePage), which two turns of the event loop cover.
 */
async function parked(): Promise<void> {
  await new Promise((done) => setImmediate(done))
  await new Promise((done) => setImmediate(done))
}

const before = (one: Event, other: Event) =>
  one.at < other.at || (one.at === other.at && one.order < other.order)

function push(heap: Event[], event: Event): void {
  let at = heap.length
  heap.push(event)
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!before(event, heap[parent] as Event)) break
    heap[at] = heap[parent] as Event
    at = parent
  }
  heap[at] = event
}

function pop(heap: Event[]): void {
  const last = heap.pop() as Event
  if (heap.length === 0) return
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && before(heap[child + 1] as Event, heap[child] as Event)) child++
    if (!before(heap[child] as Event, last)) break
    heap[at] = heap[child] as Event
    at = child
  }
  heap[at] = last
}
