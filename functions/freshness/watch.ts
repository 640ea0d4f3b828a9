import type { TableClient } from '../state/dynamodb/requests.ts'
import { openTable } from '../state/dynamodb/state-table.ts'
import type { WatchedSince } from './freshness.ts'

const key = { pk: 'freshness', sk: 'watched' }

export type WatchStore = ReturnType<typeof createWatchStore>

/** Stores when each entity's schedule was first seen, in one item with about 100 bytes per entity. */
export function createWatchStore(client: TableClient) {
  const table = openTable(client)
  return {
    async read(): Promise<WatchedSince> {
      return (await table.get<{ watched: WatchedSince }>(key))?.watched ?? {}
    },

    async write(watched: WatchedSince): Promise<void> {
      await table.put({ ...key, watched })
    },
  }
}
