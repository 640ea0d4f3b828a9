import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { clientLimits } from '../runtime/client-limits.ts'
import { openTable } from '../state/table.aws.ts'
import type { WatchedSince } from './freshness.ts'

const key = { pk: 'freshness', sk: 'watched' }

export type WatchStore = ReturnType<typeof createWatchStore>

/** Stores since when each entity has its schedule, in one item of about 100 bytes for each entity. */
export function createWatchStore(tableName: string) {
  const table = openTable(tableName, new DynamoDBClient(clientLimits.table))
  return {
    async read(): Promise<WatchedSince> {
      return (await table.get<{ watched: WatchedSince }>(key))?.watched ?? {}
    },

    async write(watched: WatchedSince): Promise<void> {
      await table.put({ ...key, watched })
    },
  }
}
