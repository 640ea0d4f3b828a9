import { readAgeSeconds } from '../platform/response-headers.ts'
import { codingsOf, DecodingError, decode } from './content-codings.ts'
import type { UpstreamResponse } from './exchange.ts'
import { describeHtmlPage, isHtmlPage } from './html-page.ts'

/** Who sent a response instead of the platform. It shows nothing about what the platform did with the request. */
export type Intermediary = 'cache' | 'firewall'

/** What happened, as a sentence without a full stop. */
export const intermediaryTexts: Readonly<Record<Intermediary, string>> = {
  cache: 'A cache responded with an old response instead of the platform',
  firewall: 'A firewall responded instead of the platform',
}

/** An older response was not sent for this request, whatever clocks and slow transfers add. */
const maxAgeSeconds = 60

/**
 * A response that is older than a minute comes from a cache (RFC 9111 section 5.1), and 403 with an HTML page from a
 * firewall: the platform rejects credentials in JSON or plain text. Undefined for other responses.
 */
export function intermediaryOf(response: UpstreamResponse): Intermediary | undefined {
  if (readAgeSeconds(response.headers) > maxAgeSeconds) return 'cache'
  if (response.status !== 403) return undefined
  return isHtmlPage({ ...response, body: plainBody(response) }) ? 'firewall' : undefined
}

/** What an intermediary did and what to do about it, in a clause without a full stop. */
export function describeIntermediary(
  response: UpstreamResponse,
  by: Intermediary,
  redact: (text: string) => string,
): string {
  const { status, headers } = response
  if (by === 'cache')
    return `a cache on the way to the platform responded with ${status}, ${readAgeSeconds(headers)} seconds old (exclude the platform's API from caching)`
  const page = describeHtmlPage(plainBody(response), redact)
  return `a firewall responded with ${status} and ${page} (allow Longshore's requests there; if there is no firewall, set valid credentials)`
}

const maxPlainBytes = 1024 * 1024

function plainBody({ headers, body }: UpstreamResponse): Buffer {
  try {
    return decode(body, codingsOf(headers['content-encoding']), maxPlainBytes)
  } catch (error) {
    if (error instanceof DecodingError) return body
    throw error
  }
}
