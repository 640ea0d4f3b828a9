import { MalformedPage } from '../../../stored/documents/json-scalars.ts'
import type { UpstreamFailure, UpstreamFailureKind, UpstreamResponse } from '../../upstream/exchange.ts'
import { classOf, type ResponseClass } from '../../upstream/intermediary.ts'
import { TooManyDocuments } from '../page/store.ts'
import type { BodyKind } from './body-kind.ts'

/** A request that returned no page. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: UpstreamFailureKind | Exclude<ResponseClass, 'rejected'> | 'not-json' }

/** The name under which a run counts it. */
export const faultName = (fault: Fault): string =>
  fault.kind === 'status' ? String(fault.status) : fault.kind

/** The fault of a request that received no response. */
export const faultOfError = ({ kind }: UpstreamFailure): Fault => ({ kind })

/** The fault of a response by who sent it and why, by its status, or by its body; undefined if it has none. */
export function faultOfResponse(
  response: UpstreamResponse,
  kindOf: (body: Buffer) => BodyKind,
): Fault | undefined {
  const { status, body } = response
  const kind = classOf(response)
  if (kind !== undefined && kind !== 'rejected') return { kind }
  if (status >= 300) return { kind: 'status', status }
  return ['nothing', 'cut-off', 'other'].includes(kindOf(body)) ? { kind: 'not-json' } : undefined
}

/** The fault of a response whose page cannot be stored. */
export function faultOfPage(error: unknown): Fault | undefined {
  if (error instanceof TooManyDocuments) return { kind: 'too-large' }
  return error instanceof MalformedPage ? { kind: 'not-json' } : undefined
}

/** Whether the platform has opened no scroll for the request. */
export function opensNothing(fault: Fault): boolean {
  if (fault.kind === 'status') return fault.status < 500 && fault.status !== 408
  return ['unreachable', 'not-sent', 'rate-limit'].includes(fault.kind)
}
