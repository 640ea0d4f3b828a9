import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { itemVersion, type Key, UnknownItemVersion } from './item-version.ts'

export interface Condition {
  readonly condition?: string
  readonly names?: Record<string, string>
  readonly values?: Record<string, unknown>
}

export interface Range {
  /** Of the sort key. */
  readonly prefix?: string
  readonly newestFirst?: boolean
  readonly limit?: number
  /** Continues after this sort key. */
  readonly after?: string
  /** False if the newest writes may be missing. */
  readonly consistent?: boolean
}

/** The state table, with plain objects in and out. A write is false if its condition failed. */
export function openTable(table: string, client: DynamoDBClient) {
  return {
    async get<T extends object>(key: Key): Promise<T | undefined> {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: table, Key: marshall(key), ConsistentRead: true }),
      )
      return Item && attributesOf<T>(Item)
    },

    put<T extends Key>(item: T, { condition, names, values }: Condition = {}): Promise<boolean> {
      return succeeds(
        client.send(
          new PutItemCommand({
            TableName: table,
            Item: marshallItem({ ...item, version: itemVersion }),
            ConditionExpression: condition,
            ExpressionAttributeNames: names,
            ExpressionAttributeValues: values && marshallItem(values),
          }),
        ),
      )
    },

    update(key: Key, { change, condition, names, values }: Condition & { change: string }): Promise<boolean> {
      return succeeds(
        client.send(
          new UpdateItemCommand({
            TableName: table,
            Key: marshall(key),
            UpdateExpression: change,
            ConditionExpression: condition,
            ExpressionAttributeNames: names,
            ExpressionAttributeValues: values && marshallItem(values),
          }),
        ),
      )
    },

    remove(key: Key, { condition, names, values }: Condition): Promise<boolean> {
      return succeeds(
        client.send(
          new DeleteItemCommand({
            TableName: table,
            Key: marshall(key),
            ConditionExpression: condition,
            ExpressionAttributeNames: names,
            ExpressionAttributeValues: values && marshallItem(values),
          }),
        ),
      )
    },

    /** Items of a partition in the order of their sort keys, read on demand. */
    async *query<T extends object>(pk: string, range: Range = {}): AsyncGenerator<T> {
      const { prefix, newestFirst = false, limit, after, consistent = true } = range
      let from: Record<string, AttributeValue> | undefined =
        after === undefined ? undefined : marshall({ pk, sk: after })
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName: table,
            KeyConditionExpression: prefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
            ExpressionAttributeValues: marshall({ ':pk': pk, ...(prefix && { ':prefix': prefix }) }),
            ScanIndexForward: !newestFirst,
            Limit: limit,
            ConsistentRead: consistent,
            ExclusiveStartKey: from,
          }),
        )
        for (const item of Items) yield attributesOf<T>(item)
        from = limit === undefined ? LastEvaluatedKey : undefined
      } while (from)
    },
  }
}

export type StateTable = ReturnType<typeof openTable>

async function succeeds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

function marshallItem(item: object): Record<string, AttributeValue> {
  return marshall(item, { removeUndefinedValues: true })
}

function attributesOf<T extends object>(item: Record<string, AttributeValue>): T {
  const { pk, sk, version, expiresAt: _expiresAt, ...attributes } = unmarshall(item)
  if (version !== itemVersion) throw new UnknownItemVersion({ pk, sk }, version)
  return attributes as T
}
