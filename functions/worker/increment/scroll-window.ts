import type { EndedWindow } from '../../../stored/changes/proposal.ts'
import type { RangeProof } from '../../../stored/run/range.ts'
import type { AttemptContext } from '../context.ts'
import { scrollRange } from '../scroll-range.ts'
import { failWith, skipWith } from './end.ts'
import type { MemoryPages } from './memory-pages.ts'
import type { IncrementSession } from './session.ts'
import { type WindowToScroll, windowSession } from './window-session.ts'

export interface ProvenWindow {
  readonly found: RangeProof
  readonly pages: MemoryPages
  readonly scrolls: readonly EndedWindow[]
}

/** Waits of the platform that are slept through. After a longer one the next increment covers the window. */
const maxWaitMs = 60_000
const napMs = 10_000

/** Scrolls the documents of a window until they are proven complete. Throws `Stopped` if they cannot be. */
export async function scrollWindow(
  context: AttemptContext,
  session: IncrementSession,
  toScroll: WindowToScroll,
): Promise<ProvenWindow> {
  const { now } = context
  const window = windowSession(session, toScroll, now)
  const { pages, scrolls } = window
  for (;;) {
    const stopped = await scrollRange({ ...context, ...pages.stores }, window)
    const tooMany = window.tooMany()
    if (tooMany !== undefined) throw skipWith('too-many-changes', tooMany)
    switch (stopped.kind) {
      case 'proven': {
        await session.closes()
        return { found: stopped.found, pages, scrolls }
      }
      case 'wait': {
        const { waitMs, reason } = stopped
        if (waitMs > maxWaitMs || now() + waitMs >= session.deadline) throw failWith(reason)
        await sleepThrough(context, session, waitMs)
        break
      }
      case 'interrupted':
        throw failWith('The changes do not fit into one worker. Start a full sync.')
      case 'skipped':
        throw skipWith('no-credentials', stopped.reason)
      case 'unproven':
      case 'failed':
        throw failWith(stopped.reason, stopped.cause)
    }
  }
}

/** A full sync may take the lease during the wait. Throws `LeaseLost`. */
async function sleepThrough(
  { sleep }: Pick<AttemptContext, 'sleep'>,
  session: IncrementSession,
  waitMs: number,
): Promise<void> {
  for (let left = waitMs; left > 0; left -= napMs) {
    await sleep(Math.min(napMs, left))
    await session.renew()
  }
}
