import { platformHeaders } from '../platform/headers.ts'
import type { UpstreamFailureKind, UpstreamResponse } from './exchange.ts'

/** A request of a scroll and what came of it, as the HTTP client reported it. Nothing in it is interpreted. */
export type Exchange = ReceivedResponse | FailedRequest

export interface FailedRequest {
  /** When it ended, in epoch milliseconds. */
  readonly at: number
  readonly error: UpstreamFailureKind
}

export interface ReceivedResponse {
  readonly at: number
  readonly status: number
  /** Size of the body without its content coding. */
  readonly bodyBytes: number
  /** The text of the total's header; absent without the header. */
  readonly total?: string
  readonly age?: string
  /** Of a response that brought no page. */
  readonly details?: ResponseDetails
}

export interface ResponseDetails {
  /** The texts of Content-Type, Retry-After and the headers of limits, by name. */
  readonly headers: Readonly<Record<string, string>>
  /** The first 1,000 bytes of the body, without credentials. */
  readonly body: string
  /** 64 bits of the hash of each document's id (hex), of a page that was received after the end. */
  readonly ids?: readonly string[]
}

/** What shows why a response brought no page. */
const detailHeaders = [
  'content-type',
  'date',
  'retry-after',
  'ratelimit',
  'ratelimit-remaining',
  'x-ratelimit-remaining',
] as const
const maxBodyBytes = 1_000

/** A response as it is recorded. Its body has no content coding any more. */
export function recordedResponse(
  { status, headers, body }: UpstreamResponse,
  { at, redact }: { readonly at: number; readonly redact: (text: string) => string },
): ReceivedResponse {
  const text = (name: string) => {
    const value = headers[name]
    return value === undefined ? undefined : redact([value].flat().join(', '))
  }
  const total = text(platformHeaders.total)
  const age = text('age')
  const details = detailHeaders.flatMap((name) => {
    const value = text(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  // Read a little further, so that a credential at the end is recognized.
  const read = redact(body.toString('utf8', 0, 2 * maxBodyBytes))
  return {
    at,
    status,
    bodyBytes: body.length,
    ...(total !== undefined && { total }),
    ...(age !== undefined && { age }),
    details: { headers: Object.fromEntries(details), body: read.slice(0, maxBodyBytes).toWellFormed() },
  }
}
