import { UpstreamFailure, type UpstreamFailureKind } from '../../upstream/errors.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import { type Intermediary, intermediaryOf } from '../../upstream/intermediary.ts'

/** A request that returned no page. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: UpstreamFailureKind | Intermediary | 'not-json' | 'other' }

/** The name under which a run counts it. */
export const faultName = (fault: Fault): string =>
  fault.kind === 'status' ? String(fault.status) : fault.kind

/** The fault of a request that was sent and received no response. */
export const faultOfError = (error: unknown): Fault =>
  error instanceof UpstreamFailure ? { kind: error.kind } : { kind: 'other' }

/** The fault of a response by who sent it, or by its status; undefined if it has none. */
export function faultOfResponse(response: UpstreamResponse): Fault | undefined {
  const kind = intermediaryOf(response)
  if (kind !== undefined) return { kind }
  const { status } = response
  return status >= 300 ? { kind: 'status', status } : undefined
}

/** Whether the platform has opened no scroll for the request. */
export function isRefused(fault: Fault): boolean {
  if (fault.kind === 'status') return fault.status < 500 && fault.status !== 408
  return fault.kind === 'unreachable' || fault.kind === 'not-sent'
}
