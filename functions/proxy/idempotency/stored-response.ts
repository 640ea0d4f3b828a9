import { gunzipSync, gzipSync } from 'node:zlib'
import type { RelayedResponse } from '../response/relay.ts'

interface KeyedItem {
  readonly fingerprint: string
  /** The invocation that owns the item; no other may change it. */
  readonly owner: string
}

/** The first request of a key is running, or its function has crashed, after `until` (epoch milliseconds). */
export interface RunningRequest extends KeyedItem {
  readonly kind: 'running'
  readonly until: number
}

/** The platform may have acted on the request. */
interface UnknownOutcome extends KeyedItem {
  readonly kind: 'unknown'
}

interface CompletedRequest extends KeyedItem {
  readonly kind: 'completed'
  /** The response as compressed JSON. */
  readonly response: Uint8Array
}

/** The platform responded, and the response is larger than an item can be. */
interface CompletedTooLarge extends KeyedItem {
  readonly kind: 'completed-too-large'
  readonly status: number
}

/** What the state table keeps of the first request of a key. */
export type StoredResponse = RunningRequest | UnknownOutcome | CompletedRequest | CompletedTooLarge

/** A DynamoDB item can have 400 KB. */
const maxResponseBytes = 350_000

export function completed({ fingerprint, owner }: RunningRequest, response: RelayedResponse): StoredResponse {
  const packed = pack(response)
  if (packed.length > maxResponseBytes)
    return { kind: 'completed-too-large', fingerprint, owner, status: response.statusCode }
  return { kind: 'completed', fingerprint, owner, response: packed }
}

/** The body's bytes as characters of Latin-1, which compress better than base64. */
type PackedResponse = Omit<RelayedResponse, 'body'> & { readonly latin1?: string }

function pack({ body, ...head }: RelayedResponse): Uint8Array {
  const packed: PackedResponse = { ...head, ...(body && { latin1: body.toString('latin1') }) }
  return gzipSync(JSON.stringify(packed))
}

export function unpack(bytes: Uint8Array): RelayedResponse {
  const { latin1, ...head } = JSON.parse(gunzipSync(bytes).toString()) as PackedResponse
  return { ...head, ...(latin1 !== undefined && { body: Buffer.from(latin1, 'latin1') }) }
}
