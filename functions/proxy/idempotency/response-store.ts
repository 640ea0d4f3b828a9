import { absentOrAtMost, equal, type TableClient } from '../../../stored/dynamodb/requests.ts'
import { openTable } from '../../../stored/dynamodb/state-table.ts'
import type { RunningRequest, StoredResponse } from './stored-response.ts'

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
