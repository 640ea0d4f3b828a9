import { absentOrAtMost, equal, type TableClient } from '../../../stored/dynamodb/requests.ts'
import { openTable } from '../../../stored/dynamodb/state-table.ts'
import type { RunningRequest, StoredResponse } from './stored-response.ts'

export interface ResponseStore {
  /** Stores the first request of a key. Returns undefined if this is the first, else what is stored of the first. */
  begin(id: string, first: RunningRequest, now: number): Promise<StoredResponse | undefined>
  /** Replaces what is stored, if its owner is still the same. */
  replace(id: string, stored: StoredResponse, now: number): Promise<void>
  /** Removes what is stored, if its owner is still the same. */
  remove(id: string, owner: string): Promise<void>
}

const keptSeconds = 24 * 60 * 60

/** Responses to requests with an idempotency key, in the state table for 24 hours. */
export function createResponseStore(client: TableClient): ResponseStore {
  const table = openTable(client)
  const keyOf = (id: string) => ({ pk: `idempotency#${id}`, sk: 'response' })
  const itemOf = (id: string, stored: StoredResponse, now: number) => ({
    ...stored,
    ...keyOf(id),
    expiresAt: Math.floor(now / 1000) + keptSeconds,
  })

  return {
    async begin(id, first, now) {
      // DynamoDB may remove an expired item days later.
      const hasExpired = { expiresAt: absentOrAtMost(Math.floor(now / 1000)) }
      if (await table.put(itemOf(id, first, now), hasExpired)) return undefined
      const stored = await table.get<StoredResponse>(keyOf(id))
      // The SDK may have repeated this write after its response was lost, or the key has been freed since.
      return stored?.owner === first.owner ? undefined : (stored ?? this.begin(id, first, now))
    },
    async replace(id, stored, now) {
      await table.put(itemOf(id, stored, now), { owner: equal(stored.owner) })
    },
    async remove(id, owner) {
      await table.remove(keyOf(id), { owner: equal(owner) })
    },
  }
}
