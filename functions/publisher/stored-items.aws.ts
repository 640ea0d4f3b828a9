import type { QueryCommandOutput } from '@aws-sdk/client-dynamodb'
import { DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import type { EntityState } from '../../stored/entity-items.ts'
import { itemVersion, UnknownItemVersion } from '../../stored/item-version.ts'
import type { CommittedEnd, CommittedPage } from '../../stored/pages/page.ts'
import type { IncrementRun } from '../../stored/run/increment-run.ts'
import type { SnapshotRun } from '../../stored/run/run.ts'
import { clientLimits } from '../runtime/client-limits.ts'
import type { RunItems } from './ports.ts'

/** Reads the state table, always consistently. */
export function connectItems(
  table: string,
  client: Pick<DynamoDBClient, 'send'> = new DynamoDBClient(clientLimits.table),
): RunItems {
  async function* query(pk: string): AsyncGenerator<object> {
    let from: QueryCommandOutput['LastEvaluatedKey']
    do {
      const found: QueryCommandOutput = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: marshall({ ':pk': pk }),
          ConsistentRead: true,
          ExclusiveStartKey: from,
        }),
      )
      for (const item of found.Items ?? []) yield known(unmarshall(item))
      from = found.LastEvaluatedKey
    } while (from)
  }

  async function get(entity: string, sk: string): Promise<object | undefined> {
    const key = marshall({ pk: `entity#${entity}`, sk })
    const { Item } = await client.send(
      new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }),
    )
    return Item && known(unmarshall(Item))
  }

  return {
    async readRun(entity, runId) {
      const item = await get(entity, `run#${runId}`)
      // 1.0.0 stored no kind.
      return item && ({ kind: 'full', ...item } as SnapshotRun)
    },

    readIncrement: async (entity, runId) =>
      (await get(entity, `increment#${runId}`)) as IncrementRun | undefined,

    async readAcceptedChanges(entity) {
      return ((await get(entity, 'entity')) as EntityState | undefined)?.acceptedChanges
    },

    readPages: async (partition) =>
      (await Array.fromAsync(query(partition))) as (CommittedPage | CommittedEnd)[],
  }
}

function known(item: Record<string, unknown>): object {
  const { pk, sk, version } = item
  if (version !== itemVersion) throw new UnknownItemVersion({ pk: String(pk), sk: String(sk) }, version)
  return item
}
