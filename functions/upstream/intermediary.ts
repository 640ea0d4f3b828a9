import { hasNoRequestsLeft, readAgeSeconds } from '../platform/response-headers.ts'
import type { UpstreamResponse } from './exchange.ts'
import { describeHtmlPage, isHtmlPage } from './html-page.ts'
import { plainBody } from './plain-body.ts'
import { quotedBody, shorten } from './quote.ts'

/** Who sent a response instead of the platform. It shows nothing about what the platform did with the request. */
export type Intermediary = 'cache' | 'firewall'

/** What happened, as a sentence without a full stop. */
export const intermediaryTexts: Readonly<Record<Intermediary, string>> = {
  cache: 'A cache responded with an old response instead of the platform',
  firewall: 'A firewall responded instead of the platform',
}

/** An older response was not sent for this request, whatever clocks and slow transfers add. */
export const maxResponseAgeSeconds = 60

/** Who responded and why, where the status alone does not show it: a 403 can be a rejection, a limit or a firewall. */
export type ResponseClass = Intermediary | 'rate-limit' | 'rejected'

/**
 * A response that is older than a minute comes from a cache (RFC 9111 section 5.1), and 401 or 403 with an HTML page
 * from a firewall or proxy: the platform rejects credentials in JSON or plain text. Other 403s that say when to try
 * again, that no requests are left, or that name a limit, are a limit. Undefined for what its status describes.
 */
export function classOf(response: UpstreamResponse): ResponseClass | undefined {
  const { status, headers } = response
  if (readAgeSeconds(headers) > maxResponseAgeSeconds) return 'cache'
  if (status !== 401 && status !== 403) return undefined
  const body = plainBody(response)
  if (isHtmlPage({ ...response, body })) return 'firewall'
  const isLimit =
    headers['retry-after'] !== undefined || hasNoRequestsLeft(headers) || limitText.test(body.toString())
  return status === 403 && isLimit ? 'rate-limit' : 'rejected'
}

const limitText =
  /rate.?limit|request.?rate|throttl|slow.?down|spike.?arrest|abuse detection|too.?many|excess\w* (?:requests|calls)|out of .{0,20}quota|\bover.?(?:rate|qps|quota|query.?limit)|(?:\brate|quota|limit|capacity|requests|calls|second).{0,30}(?:exceeded|reached|exhausted|hit\b)|(?:exceed\w*|reached).{1,40}(?:quota|limit|requests|calls)|(?:try|retry)\b.{0,10} (?:in|after) \d/i

/** Who sent a response instead of the platform; undefined for a response of the platform. */
export function intermediaryOf(response: UpstreamResponse): Intermediary | undefined {
  const found = classOf(response)
  return found === 'cache' || found === 'firewall' ? found : undefined
}

/** Who responded, why, and what to do about it, in a clause without a full stop. */
export function describeClass(
  response: UpstreamResponse,
  found: ResponseClass,
  redact: (text: string) => string,
): string {
  const { status, headers } = response
  const body = plainBody(response)
  switch (found) {
    case 'cache':
      return `a cache on the way to the platform responded with ${status}, ${readAgeSeconds(headers)} seconds old (exclude the platform's API from caching)`
    case 'firewall':
      return `a firewall responded with ${status} and ${describeHtmlPage(body, redact)} (allow Longshore's requests there; if there is no firewall, set valid credentials)`
    case 'rate-limit':
      return `the platform limits requests and responded with ${quotedResponse(status, body, redact)} (have its limit raised or lower maxConcurrentScrolls; if there is no limit, set valid credentials)`
    case 'rejected':
      return `the platform responded with ${status}: the credentials were rejected`
  }
}

/** The status and the beginning of the text with it. */
export function quotedResponse(status: number, body: Buffer, redact: (text: string) => string): string {
  const text = shorten(quotedBody(body, redact), 300)
  return text === '' ? String(status) : `${status}: ${text}`
}
