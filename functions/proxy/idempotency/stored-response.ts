import { gunzipSync, gzipSync } from 'node:zlib'
import { absentOrAtMost, equal, openTable, type TableClient } from '../../../stored/dynamodb/state-table.ts'
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

export type ResponseStore = ReturnType<typeof createResponseStore>

const keptSeconds = 24 * 60 * 60

/** Responses to requests with an idempotency key, in the state table for 24 hours. */
export function createResponseStore(client: TableClient) {
  const table = openTable(client)
  const keyOf = (id: string) => ({ pk: `idempotency#${id}`, sk: 'response' })
  const itemOf = (id: string, stored: StoredResponse, now: number) => ({
    ...stored,
    ...keyOf(id),
    expiresAt: Math.floor(now / 1000) + keptSeconds,
  })

  return {
    /** Stores the first request of a key. Returns undefined if this is the first, else what is stored of the first. */
    async begin(id: string, first: RunningRequest, now: number): Promise<StoredResponse | undefined> {
      // DynamoDB may remove an expired item days later.
      const hasExpired = { expiresAt: absentOrAtMost(Math.floor(now / 1000)) }
      if (await table.put(itemOf(id, first, now), hasExpired)) return undefined
      const stored = await table.get<StoredResponse>(keyOf(id))
      // The SDK may have repeated this write after its response was lost, or the key has been freed since.
      return stored?.owner === first.owner ? undefined : (stored ?? this.begin(id, first, now))
    },
    /** Replaces what is stored, if its owner is still the same. */
    async replace(id: string, stored: StoredResponse, now: number): Promise<void> {
      await table.put(itemOf(id, stored, now), { owner: equal(stored.owner) })
    },
    /** Removes what is stored, if its owner is still the same. */
    async remove(id: string, owner: string): Promise<void> {
      await table.remove(keyOf(id), { owner: equal(owner) })
    },
  }
}
