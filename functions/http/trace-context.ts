import { randomBytes } from 'node:crypto'

export interface TraceParent {
  /** 32 hex digits, the same in all parts of a trace. */
  readonly traceId: string
  /** 2 hex digits; the last bit is set if the caller records the trace. */
  readonly flags: string
}

/** Version, trace id, parent id and flags. Version ff and ids of zeros are invalid; later versions may add members. */
const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/

/** Reads a `traceparent` (W3C Trace Context section 3.2); undefined if it is malformed. */
export function readTraceParent(value: string | undefined): TraceParent | undefined {
  const [, version, traceId, flags, more] = form.exec(value ?? '') ?? []
  if (!traceId || !flags || (version === '00' && more !== undefined)) return undefined
  return { traceId, flags }
}

/** The `traceparent` for the platform: the same trace with a new span (section 3.4). */
export function nextTraceParent({ traceId, flags }: TraceParent): string {
  // Version 00 defines only the flag `sampled`.
  const sampled = (Number.parseInt(flags, 16) & 1).toString(16).padStart(2, '0')
  return `00-${traceId}-${randomBytes(8).toString('hex')}-${sampled}`
}

/** Identifies all log lines of a request: the caller's trace id, or else API Gateway's request id. */
export function correlationId(event: {
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly requestContext: { readonly requestId: string }
}): string {
  return readTraceParent(event.headers?.['traceparent'])?.traceId ?? event.requestContext.requestId
}
