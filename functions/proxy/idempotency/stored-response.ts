import { gunzipSync, gzipSync } from 'node:zlib'
import type { RelayedResponse } from '../response/relay.ts'

interface KeyedItem {
  readonly fingerprint: string
  /** The invocation that owns the item; no other may change it. */
  readonly owner: string
}

/**
 * What the state table keeps of the first request of a key. `running`: until a time (epoch milliseconds), after which its
 * function has crashed. `unknown`: the platform may have acted on it. `completed`: with the response as compressed JSON,
 * unless that is larger than an item can be.
 */
export type StoredResponse = KeyedItem &
  (
    | { readonly kind: 'running'; readonly until: number }
    | { readonly kind: 'unknown' }
    | { readonly kind: 'completed'; readonly response: Uint8Array }
    | { readonly kind: 'completed-too-large'; readonly status: number }
  )

export type RunningRequest = Extract<StoredResponse, { kind: 'running' }>

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
