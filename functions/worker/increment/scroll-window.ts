import { withFilter } from '../../partitions/ranges.ts'
import { headerName, platformHeaders } from '../../platform/headers.ts'
import type { EndPosition } from '../../state/pages/page.ts'
import { startPosition } from '../../state/pages/page.ts'
import type { RetryState } from '../../upstream/retry.ts'
import type { Invocation, StepContext } from '../context.ts'
import { RepeatDetector } from '../page/repeat-detector.ts'
import { AttemptCount, type PageCount } from '../proof/page-count.ts'
import { scrollIo } from '../scroll/io.ts'
import { scroll } from '../scroll/loop.ts'
import { failed, type Stop, skipped, stop } from './end.ts'
import { MemoryPages } from './memory-pages.ts'
import { type IncrementSession, scrollSession, type WindowScroll } from './session.ts'

export type ScrolledWindow =
  | {
      readonly kind: 'ended'
      readonly position: EndPosition
      readonly count: PageCount
      readonly isSuspect: boolean
      readonly pages: MemoryPages
    }
  | Stop

/** Waits of the platform that are slept through. After a longer one the next increment covers the window. */
const maxWaitMs = 60_000
const napMs = 10_000
/** More does not fit into the function's memory. */
const maxBytes = 200 * 1024 * 1024

/** Scrolls the documents of a window once, with the engine of every scroll. */
export async function scrollWindow(
  context: StepContext & { readonly invocation: Invocation },
  session: IncrementSession,
  { where, ...of }: Omit<WindowScroll, 'isFull'> & { readonly where: string },
): Promise<ScrolledWindow> {
  const { settings, invocation, now } = context
  const { entity } = session
  const pages = new MemoryPages()
  const isFull = () => pages.bytes > maxBytes
  const own = scrollSession(session, { ...of, isFull }, now)
  using count = new AttemptCount(() => pages.stores.state.pages(), { isNew: true })
  const io = scrollIo({ ...context, ...pages.stores }, own, {
    invocation,
    repeats: new RepeatDetector(),
    count,
  })
  let pageSize = entity.pageSize
  let retryState: RetryState | undefined
  for (;;) {
    const end = await scroll(
      {
        entity: entity.name,
        query: withFilter(entity.query, where),
        isRange: false,
        totals: entity.totals,
        tokenHeader: headerName(platformHeaders.scrollToken, settings.upstream.headerPrefix),
        position: pages.position() ?? startPosition(pageSize),
        retryState,
      },
      io,
    )
    if (isFull())
      return stop(
        skipped('too-many-changes', 'Too many changes: they do not fit into one worker. Start a full sync.'),
      )
    switch (end.kind) {
      case 'ended':
        await session.closes()
        return {
          kind: 'ended',
          position: end.position,
          count: await count.result(),
          isSuspect: own.isSuspect(),
          pages,
        }
      case 'wait':
        if (end.waitMs > maxWaitMs || now() + end.waitMs >= session.deadline) return stop(failed(end.reason))
        await sleepThrough(context, session, end.waitMs)
        pageSize = end.pageSize
        retryState = end.retryState
        break
      case 'time-is-up':
        return stop(failed('The changes do not fit into one worker. Start a full sync.'))
      case 'disagreement':
        return stop(skipped('too-many-changes', end.reason))
      case 'skip':
        return stop(skipped('no-credentials', end.reason))
      case 'new-attempt':
      case 'fail':
        return stop(failed(end.reason))
    }
  }
}

/** A full sync may take the lease during the wait. Throws `LeaseLost`. */
async function sleepThrough(
  { sleep }: Pick<StepContext, 'sleep'>,
  session: IncrementSession,
  waitMs: number,
): Promise<void> {
  for (let left = waitMs; left > 0; left -= napMs) {
    await sleep(Math.min(napMs, left))
    await session.renew()
  }
}
