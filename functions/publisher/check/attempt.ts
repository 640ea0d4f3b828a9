import type { CommittedEnd, CommittedPage } from '../../../stored/pages/page.ts'
import type { AttemptId } from '../../../stored/pages/page-partition.ts'
import { Damaged } from './damage.ts'
import { attemptName } from './entries.ts'
import { outcomeName, outcomeOf } from './outcome.ts'
import { readTotal } from './proof.ts'

export type AttemptItems = Readonly<ReturnType<typeof orderedItems>>

/** A request whose outcome is unknown. `what` is one of our names, never text of the platform. */
export interface UnknownOutcome {
  readonly page: number
  readonly at: string
  readonly what: string
}

/**
 * Orders the items of an attempt, whose objects are in the folder. Throws `Damaged` unless they are numbered from 1 and an
 * end closes them.
 */
export function orderedItems(
  items: readonly (CommittedPage | CommittedEnd)[],
  { range, attempt }: AttemptId,
  folder: string,
) {
  const name = `${range === undefined ? '' : `range ${range}, `}attempt ${attempt}`
  const prefix = `${folder}${attemptName(range === undefined ? '' : `r${range}`, attempt)}-p`
  const pages: CommittedPage[] = []
  for (const [index, item] of items.toSorted((a, b) => a.page - b.page).entries()) {
    if (item.page !== index + 1)
      throw new Damaged(`Of ${name}, item ${index + 1} is missing: the next one has the number ${item.page}.`)
    if (item.kind === 'end') {
      if (item.page === items.length) return { pages, end: item }
      throw new Damaged(`Of ${name}, item ${item.page} ends it before the last one.`)
    }
    if (!item.key.startsWith(`${prefix}${String(item.page).padStart(6, '0')}-`))
      throw new Damaged(`Page ${item.page} of ${name} names the object ${item.key}, which is not its own.`)
    pages.push(item)
  }
  if (pages.length > 0) throw new Damaged(`No end closes ${name}, which has ${pages.length} items.`)
  throw new Damaged(`The items of ${name} are gone: they expire after 30 days.`)
}

/** The requests that may have moved the cursor before a page and brought nothing. */
export const unknownOutcomes = ({ pages }: AttemptItems): UnknownOutcome[] =>
  pages.flatMap(({ page, received: { exchanges } = { exchanges: [] } }) =>
    exchanges.flatMap((exchange, index) => {
      const outcome = outcomeOf(exchange)
      const bringsPage = 'status' in exchange && exchange.status === 200 && typeof outcome !== 'object'
      // Before the first page there is no cursor, unless the platform ended the scroll and then continued it.
      const hasNotMoved = page === 1 ? outcome !== 'empty' : outcome === 'not-done'
      const isKnown = index < exchanges.length - 1 ? hasNotMoved : bringsPage
      return isKnown ? [] : { page, at: new Date(exchange.at).toISOString(), what: outcomeName(outcome) }
    }),
  )

/** The text of the total of the response that opened the scroll, and its value. */
export function openingTotal({ pages, end }: AttemptItems) {
  const first = pages[0] ?? end
  if (!first.received) {
    const { total } = first
    if (total === 'malformed') return { text: '', total }
    return total === 'not-reported' ? { text: null, total: undefined } : { text: String(total), total }
  }
  const { exchanges } = first.received
  // Of an empty entity, the first response that says so.
  const opening =
    pages.length > 0 ? exchanges.at(-1) : exchanges.find((exchange) => outcomeOf(exchange) === 'empty')
  const text = opening && 'status' in opening ? opening.total : undefined
  const total = readTotal(text)
  // The item of a range may have a total of searches. The worker reads more forms of a total.
  const isOwn = pages.length > 0 && !first.received.searched && total !== 'malformed'
  if (isOwn && typeof first.total === 'number' && total !== first.total)
    throw new Damaged(`The response that opened the scroll reported ${total}; its item has ${first.total}.`)
  return { text: text ?? null, total }
}
