import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { openTable } from '../state/table.aws.ts'
import type { WatchedSince } from './freshness.ts'

const key = { pk: 'freshness', sk: 'watched' }

export type WatchStore = ReturnType<typeof createWatchStore>

/** Remembers since when each entity is watched, in one item: some 100 bytes each, of the 400 KB that it may hold. */
export function createWatchStore(tableName: string) {
  const table = openTable(tableName, new DynamoDBClient({}))
  return {
    async read(): Promise<WatchedSince> {
      return (await table.get<{ watched: WatchedSince }>(key))?.watched ?? {}
    },

    async write(watched: WatchedSince): Promise<void> {
      await table.put({ ...key, watched })
    },
  }
}
