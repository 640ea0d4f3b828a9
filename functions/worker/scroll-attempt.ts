import { headerName, platformHeaders } from '../platform/headers.ts'
import type { Position } from '../state/pages/page.ts'
import type { AttemptContext } from './context.ts'
import { repeatDetectorAt } from './page/repeat-detector.ts'
import { AttemptCount, type PageCount } from './proof/page-count.ts'
import { type ScrollSession, scrollIo } from './scroll/io.ts'
import { type ScrollEnd, type ScrollStart, scroll } from './scroll/loop.ts'

/** How this worker's part of an attempt's scroll stopped, with the count of all its pages at the end. */
export type AttemptScrollEnd =
  | Exclude<ScrollEnd, { kind: 'ended' }>
  | { readonly kind: 'ended'; readonly position: Position; readonly count: PageCount }

/** Scrolls an attempt of a run, or of one of its ranges, from a position on. */
export async function scrollAttempt(
  context: AttemptContext,
  session: ScrollSession,
  start: Omit<ScrollStart, 'tokenHeader'>,
): Promise<AttemptScrollEnd> {
  const { settings, state, invocation } = context
  const { position } = start
  const pages = () => state.pages(session.attempt)
  using count = new AttemptCount(pages, { isNew: position.kind === 'start' })
  const repeats = await repeatDetectorAt(position, pages)
  const tokenHeader = headerName(platformHeaders.scrollToken, settings.upstream.headerPrefix)
  const end = await scroll(
    { ...start, tokenHeader },
    scrollIo(context, session, { invocation, repeats, count }),
  )
  if (end.kind !== 'ended') return end
  if (session.timeIsUp())
    return { kind: 'time-is-up', pageSize: end.position.pageSize, retryState: undefined }
  return { kind: 'ended', position: end.position, count: await count.result() }
}
