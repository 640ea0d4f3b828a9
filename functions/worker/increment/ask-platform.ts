import { firstDocument, oneDocument, searchRequest, searchUrl } from '../../../stored/partitions/search.ts'
import { readDate, readRangeTotal, readRetryAfterMs } from '../../platform/response-headers.ts'
import { UpstreamFailure, type UpstreamResponse } from '../../upstream/exchange.ts'
import { classOf, describeClass } from '../../upstream/intermediary.ts'
import type { Exchange } from '../../upstream/recorded-exchange.ts'
import { isListed, type RetryPolicy, sendWithRetries } from '../../upstream/retry.ts'
import type { StepContext } from '../context.ts'
import { sendCounted } from '../scroll/counted-request.ts'
import { causeOf, outcomeOfResponse } from '../scroll/decision.ts'
import { ExchangeRecord } from '../scroll/exchange-record.ts'
import type { OutcomeName } from '../scroll/outcomes.ts'
import { outcomeOfFailure } from '../scroll/response.ts'
import { failWith } from './end.ts'
import type { IncrementSession } from './session.ts'

/** What the search at the beginning of an increment found. */
interface Asked {
  /** The platform's clock, in epoch milliseconds; undefined without a Date header. */
  readonly date: number | undefined
  /** Documents that match; undefined if the platform refuses the search. */
  readonly total: number | undefined
  /** The first of them. */
  readonly document: Buffer | undefined
  /** The response, as the HTTP client reported it. */
  readonly clock: Exchange
}

const requestMs = 20_000
/** Statuses after which the same search may succeed. */
const unavailable = ['408', '425', '429', '5xx', 'cache', 'firewall', 'rate-limit']
const outage: RetryPolicy = {
  kind: 'outage',
  maxTries: 3,
  maxMs: 30_000,
  wait: { baseMs: 500, capMs: 5_000 },
  whenTooLong: 'give-up',
}

/** Searches for one document of the window, to learn the platform's clock and how much changed. Throws `Stopped`. */
export async function searchWindow(
  context: Pick<StepContext, 'settings' | 'upstream' | 'now' | 'sleep' | 'random'>,
  session: IncrementSession,
  where: string,
): Promise<Asked> {
  const { settings, upstream, now, sleep, random } = context
  const { entity } = session
  const { name, query, idField } = entity
  const target = { searchPath: settings.upstream.searchPath, entity: name, query }
  const _fields = [...new Set([idField, 'createdIn', 'updatedIn'])].join(',')
  const request = searchRequest(searchUrl(target, where, { _fields }), oneDocument, requestMs)
  const record = new ExchangeRecord([], { now, redact: (text) => upstream.redact(text) })
  const outcome = await sendWithRetries(
    () => sendCounted(upstream, session, { ...request, record }),
    (result) => (result instanceof UpstreamFailure || isListed(unavailable, result) ? outage : undefined),
    { now, sleep, random, deadline: session.deadline },
  )
  if (outcome instanceof UpstreamFailure)
    throw noResponse(`failed: ${outcome.reason}`, outcomeOfFailure(outcome))
  const { status, headers } = outcome
  const [clock] = record.take().exchanges.slice(-1)
  if (!clock) throw failWith('The first search of the increment was not recorded.')
  const by = classOf(outcome)
  const retryAfterMs = readRetryAfterMs(headers, now())
  const unanswered = outcomeOfResponse({ status, body: 'other', text: '', by, retryAfterMs })
  if (by !== undefined)
    throw noResponse(`failed: ${describeClass(outcome, by, (text) => upstream.redact(text))}`, unanswered)
  if (isListed(unavailable, outcome)) throw noResponse(`responded with ${status}`, unanswered)
  const isFound = isListed(['2xx'], outcome)
  return {
    date: readDate(headers),
    total: isFound ? readRangeTotal(headers) : undefined,
    document: isFound ? documentIn(outcome) : undefined,
    clock,
  }
}

const noResponse = (what: string, outcome: OutcomeName) =>
  failWith(`The first search of the increment ${what}.`, causeOf(outcome, 'first'))

function documentIn(response: UpstreamResponse): Buffer | undefined {
  const first = firstDocument(response)
  return first && Buffer.from(JSON.stringify(first))
}
