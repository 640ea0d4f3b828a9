import { randomBytes } from 'node:crypto'

export interface TraceParent {
  /** 32 hex digits, the same for all who take part in one request. */
  readonly traceId: string
  /** 2 hex digits, of which the last bit says that the caller records the trace. */
  readonly flags: string
}

/** A `traceparent` of a caller's, to the letter of W3C Trace Context section 3.2; undefined if it breaks a rule. */
export function readTraceParent(value: string | undefined): TraceParent | undefined {
  const [, version, traceId, parentId, flags, more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(value ?? '') ?? []
  if (!version || !traceId || !parentId || !flags || version === 'ff') return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  // A later version may add members, version 00 has none (section 3.2.4).
  if (more !== undefined && version === '00') return undefined
  return { traceId, flags }
}

/** The header for the next party: the same trace, our own part of it (section 3.4). */
export function nextTraceParent({ traceId, flags }: TraceParent): string {
  // Of the flags only `sampled` is known to version 00.
  const sampled = (Number.parseInt(flags, 16) & 1).toString(16).padStart(2, '0')
  return `00-${traceId}-${randomBytes(8).toString('hex')}-${sampled}`
}

/** By what all log lines of a request can be found: the caller's trace, or else API Gateway's id of the request. */
export function correlationId(event: {
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly requestContext: { readonly requestId: string }
}): string {
  return readTraceParent(event.headers?.['traceparent'])?.traceId ?? event.requestContext.requestId
}
