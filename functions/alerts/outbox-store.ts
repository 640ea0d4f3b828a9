import { isDeepStrictEqual } from 'node:util'
import { openTable, type TableClient } from '../../stored/dynamodb/state-table.ts'
import type { Key } from '../../stored/item-version.ts'
import { emptyOutbox, type Outbox } from './outbox.ts'

const outboxKey = (url: string): Key => ({ pk: 'freshness', sk: `alert#${url}` })

/** Version 1.0.0 stored no failures. */
type StoredOutbox = Omit<Outbox, 'refused' | 'failure'> & Partial<Outbox>

export type OutboxStore = ReturnType<typeof createOutboxStore>

/** What receivers must still be told, by the name or ARN of the secret with their address. */
export function createOutboxStore(client: TableClient) {
  const table = openTable(client)
  return {
    async read(urls: readonly string[]): Promise<Outbox[]> {
      const items = await table.getAll<StoredOutbox>(urls.map(outboxKey))
      return items.map((item) => {
        const { reported, pending, left, refused, failure } = { ...emptyOutbox, ...item }
        return { reported, pending, left, refused, failure }
      })
    },

    /** Only if it differs from what is stored. */
    async write(url: string, outbox: Outbox, stored: Outbox): Promise<void> {
      if (!isDeepStrictEqual(outbox, stored)) await table.put({ ...outboxKey(url), ...outbox })
    },
  }
}
