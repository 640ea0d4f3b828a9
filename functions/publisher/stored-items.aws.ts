import {
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { clientLimits } from '../runtime/client-limits.ts'
import { itemVersion, UnknownItemVersion } from '../state/item-version.ts'
import type { CommittedEnd, CommittedPage } from '../state/pages/page.ts'
import { oldPagePartition, pagePartition } from '../state/pages/page-partition.ts'
import type { SnapshotRun } from '../state/run/run.ts'
import type { RunItems } from './ports.ts'

type Sender = Pick<DynamoDBClient, 'send'>

/** Reads the state table, always consistently. */
export function connectItems(
  table: string,
  client: Sender = new DynamoDBClient(clientLimits.table),
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

  return {
    async readRun(entity, runId) {
      const key = marshall({ pk: `entity#${entity}`, sk: `run#${runId}` })
      const { Item } = await client.send(
        new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }),
      )
      // 1.0.0 stored no kind.
      return Item && ({ kind: 'full', ...known(unmarshall(Item)) } as SnapshotRun)
    },

    async readAttempt(attempt) {
      const items = await Array.fromAsync(query(pagePartition(attempt)))
      const found = items.length > 0 ? items : await Array.fromAsync(query(oldPagePartition(attempt)))
      return found as (CommittedPage | CommittedEnd)[]
    },
  }
}

function known(item: Record<string, unknown>): object {
  const { pk, sk, version } = item
  if (version !== itemVersion) throw new UnknownItemVersion({ pk: String(pk), sk: String(sk) }, version)
  return item
}
