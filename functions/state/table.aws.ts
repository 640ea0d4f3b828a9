import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AttributeValue,
  BatchGetItemCommand,
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
  /** Prefix of the sort key. */
  readonly prefix?: string
  readonly newestFirst?: boolean
  readonly limit?: number
  /** Continues after this sort key. */
  readonly after?: string
  /** False if the newest writes may be missing. */
  readonly consistent?: boolean
}

/** What became of a write that depends on the stored item. */
export type Replacement<T> =
  | { readonly kind: 'written' }
  /** `stored` is the item as it is now; undefined if the service does not return it. */
  | { readonly kind: 'refused'; readonly stored: Omit<T, keyof Key> | undefined }

type Attributes = Record<string, AttributeValue>

/** DynamoDB's limit of one BatchGetItem. */
const maxBatchKeys = 100
const maxBatchTries = 8
const firstPauseMs = 50

/** Waits for a random time of at most so many milliseconds. */
export const randomPause = (maxMs: number) => sleep<void>(Math.random() * maxMs)

/** The state table, with plain objects in and out. A write is false if its condition failed. */
export function openTable(table: string, client: DynamoDBClient, pause = randomPause) {
  /** Repeats the keys that DynamoDB did not process because of throttling or the size of the response. */
  async function* getBatch(keys: readonly Attributes[]): AsyncGenerator<Attributes> {
    let rest = keys
    for (let tries = 0; rest.length > 0; tries++) {
      if (tries === maxBatchTries) {
        const unread = `${rest.length} of ${keys.length} keys were not processed in ${tries} requests`
        throw new Error(`The state table is throttled: ${unread}.`)
      }
      if (tries > 0) await pause(firstPauseMs * 2 ** (tries - 1))
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetItemCommand({ RequestItems: { [table]: { Keys: [...rest], ConsistentRead: true } } }),
      )
      yield* Responses?.[table] ?? []
      rest = UnprocessedKeys?.[table]?.Keys ?? []
    }
  }

  return {
    async get<T extends object>(key: Key): Promise<T | undefined> {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: table, Key: marshall(key), ConsistentRead: true }),
      )
      return Item && attributesOf<T>(Item)
    },

    /** The items in the order of the keys; undefined for each that does not exist. */
    async getAll<T extends object>(keys: readonly Key[]): Promise<(T | undefined)[]> {
      const nameOf = ({ pk, sk }: Attributes) => JSON.stringify([pk, sk])
      const marshalled = keys.map((key) => marshall(key))
      const items = new Map<string, T>()
      for (let first = 0; first < keys.length; first += maxBatchKeys) {
        for await (const item of getBatch(marshalled.slice(first, first + maxBatchKeys)))
          items.set(nameOf(item), attributesOf<T>(item))
      }
      return marshalled.map((key) => items.get(nameOf(key)))
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

    /** Writes an item with a revision if the stored one has the revision `before`; 0 if there is none. */
    async replace<T extends Key>(item: T, before: number): Promise<Replacement<T>> {
      try {
        await client.send(
          new PutItemCommand({
            TableName: table,
            Item: marshallItem({ ...item, version: itemVersion }),
            ConditionExpression: before === 0 ? 'attribute_not_exists(pk)' : '#revision = :before',
            ...(before > 0 && {
              ExpressionAttributeNames: { '#revision': 'revision' },
              ExpressionAttributeValues: marshall({ ':before': before }),
            }),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        )
        return { kind: 'written' }
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
        return { kind: 'refused', stored: error.Item && attributesOf(error.Item) }
      }
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
      let from: Attributes | undefined = after === undefined ? undefined : marshall({ pk, sk: after })
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

function marshallItem(item: object): Attributes {
  return marshall(item, { removeUndefinedValues: true })
}

function attributesOf<T extends object>(item: Attributes): T {
  const { pk, sk, version, expiresAt: _expiresAt, ...attributes } = unmarshall(item)
  if (version !== itemVersion) throw new UnknownItemVersion({ pk, sk }, version)
  return attributes as T
}
