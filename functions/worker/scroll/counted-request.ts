import type { Upstream, UpstreamRequest } from '../../upstream/client.ts'
import { decodeResponse } from '../../upstream/decode-response.ts'
import { UpstreamFailure, type UpstreamResponse } from '../../upstream/exchange.ts'
import { bodyKind } from './body-kind.ts'
import type { ExchangeRecord } from './exchange-record.ts'
import { type Fault, faultOfError, faultOfResponse } from './fault.ts'

/** A worker's right to send requests for a run, which counts them. */
export interface RequestOwner {
  /** Makes sure that this worker still has the run. Throws `LeaseLost`. */
  renew(): Promise<void>
  countRequest(receivedBytes: number): Promise<void>
  countFault(fault: Fault): Promise<void>
}

interface CountedRequest extends UpstreamRequest {
  readonly maxBytes: number
  /** The kind of a response's body, by which it may be a fault. */
  readonly kindOf?: typeof bodyKind
  /** Records what the HTTP client reports. */
  readonly record?: ExchangeRecord
}

/** Sends a request of a run and counts it if it was sent. Throws `UpstreamFailure`, `CredentialsError`, `LeaseLost`. */
export async function sendCounted(
  upstream: Upstream,
  owner: RequestOwner,
  { kindOf = bodyKind, record, ...request }: CountedRequest,
): Promise<UpstreamResponse> {
  let receivedBytes = 0
  try {
    record?.sent(request.target)
    const onRejected = record && ((rejected: UpstreamResponse) => record.responded(rejected))
    const response = await upstream.send({
      ...request,
      ...(onRejected && { onRejected }),
      beforeSend: () => owner.renew(),
    })
    receivedBytes = response.body.length
    const plain = decodeResponse(response, request.maxBytes)
    record?.responded(plain)
    await owner.countRequest(receivedBytes)
    const fault = faultOfResponse(plain, kindOf)
    if (fault) await owner.countFault(fault)
    return plain
  } catch (error) {
    if (error instanceof UpstreamFailure) {
      record?.failed(error)
      await owner.countRequest(receivedBytes)
      await owner.countFault(faultOfError(error))
    }
    throw error
  }
}
