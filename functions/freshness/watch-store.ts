import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import type { WatchedSince } from './freshness.ts'

const key = marshall({ pk: 'freshness', sk: 'watched' })

export type WatchStore = ReturnType<typeof createWatchStore>

/** Remembers since when each entity is watched, in one item: some 100 bytes each, of the 400 KB that it may hold. */
export function createWatchStore(table: string, client = new DynamoDBClient({})) {
  return {
    async read(): Promise<WatchedSince> {
      const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: key }))
      return Item ? (unmarshall(Item)['watched'] as WatchedSince) : {}
    },

    async write(watched: WatchedSince): Promise<void> {
      await client.send(
        new PutItemCommand({ TableName: table, Item: { ...key, ...marshall({ version: 1, watched }) } }),
      )
    },
  }
}
