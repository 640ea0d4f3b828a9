import {
  type AttributeValue,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { clientLimits } from '../../functions/runtime/client-limits.ts'
import type { Change, Query, Read, ReadResult, TableClient, TableItem, Test, Write } from './state-table.ts'

type Attributes = Record<string, AttributeValue>

/** The requests of the state table, sent to DynamoDB. */
export function connectTable(
  table: string,
  client = withoutLogger(new DynamoDBClient(clientLimits.table)),
): TableClient {
  const target = { TableName: table }

  async function query({
    pk,
    prefix,
    newestFirst,
    limit,
    after,
    consistent = true,
  }: Query): Promise<ReadResult> {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        ...target,
        KeyConditionExpression: prefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
        ExpressionAttributeValues: marshall({ ':pk': pk, ...(prefix && { ':prefix': prefix }) }),
        ScanIndexForward: !newestFirst,
        Limit: limit,
        ConsistentRead: consistent,
        ExclusiveStartKey: after === undefined ? undefined : marshall({ pk, sk: after }),
      }),
    )
    return { items: Items.map(itemOf), rest: LastEvaluatedKey ? [itemOf(LastEvaluatedKey)] : [] }
  }

  async function read(request: Read): Promise<ReadResult> {
    switch (request.kind) {
      case 'get': {
        const { Item } = await client.send(
          new GetItemCommand({ ...target, Key: marshall(request.key), ConsistentRead: true }),
        )
        return { items: Item ? [itemOf(Item)] : [], rest: [] }
      }
      case 'batch': {
        const Keys = request.keys.map((key) => marshall(key))
        const { Responses, UnprocessedKeys } = await client.send(
          new BatchGetItemCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
        )
        const rest = UnprocessedKeys?.[table]?.Keys ?? []
        return { items: (Responses?.[table] ?? []).map(itemOf), rest: rest.map(itemOf) }
      }
      case 'query':
        return query(request)
    }
  }

  function send(write: Write): Promise<object> {
    const common = { ...target, ...expressionsOf(write) }
    switch (write.kind) {
      case 'put':
        return client.send(
          new PutItemCommand({
            ...common,
            Item: attributesOf(write.item),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        )
      case 'update':
        return client.send(new UpdateItemCommand({ ...common, Key: marshall(write.key) }))
      case 'remove':
        return client.send(new DeleteItemCommand({ ...common, Key: marshall(write.key) }))
    }
  }

  return {
    read,
    async write(write) {
      try {
        await send(write)
        return { kind: 'written' }
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
        return { kind: 'refused', stored: error.Item && itemOf(error.Item) }
      }
    },
  }
}

/** Without what copies every response for a log, also if there is no logger: a third of the processor time of a list. */
export function withoutLogger(client: DynamoDBClient): DynamoDBClient {
  client.middlewareStack.remove('loggerMiddleware')
  return client
}

const itemOf = (item: Attributes) => unmarshall(item) as TableItem
const attributesOf = (item: object): Attributes => marshall(item, { removeUndefinedValues: true })

/** The expressions of one write, with a placeholder for each name and value. */
function expressionsOf(write: Write) {
  const names: Record<string, string> = {}
  const values: Record<string, unknown> = {}
  const path = (attribute: string): string => {
    const parts = attribute.split('.')
    for (const part of parts) names[`#${part}`] = part
    return parts.map((part) => `#${part}`).join('.')
  }
  const value = (of: unknown): string => {
    const placeholder = `:v${Object.keys(values).length}`
    values[placeholder] = of
    return placeholder
  }
  const update = write.kind === 'update' && updateExpression(write.change, { path, value })
  const tests = Object.entries(write.condition).map(([attribute, test]) =>
    testExpression(path(attribute), test, value),
  )
  return {
    ...(update && { UpdateExpression: update }),
    // DynamoDB rejects what is empty.
    ...(tests.length > 0 && { ConditionExpression: tests.join(' AND ') }),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: attributesOf(values) }),
  }
}

interface Placeholders {
  readonly path: (attribute: string) => string
  readonly value: (of: unknown) => string
}

function updateExpression(change: Change, { path, value }: Placeholders): string {
  if ('remove' in change) return `REMOVE ${change.remove.map(path).join(', ')}`
  return `SET ${Object.entries(change.set)
    .map(([name, to]) => `${path(name)} = ${value(to)}`)
    .join(', ')}`
}

function testExpression(path: string, test: Test, value: Placeholders['value']): string {
  switch (test.is) {
    case 'absent':
      return `attribute_not_exists(${path})`
    case 'equal':
      return `${path} = ${value(test.value)}`
    case 'one-of':
      return `${path} IN (${test.values.map(value).join(', ')})`
    case 'absent-or-at-most':
      return `(attribute_not_exists(${path}) OR ${path} <= ${value(test.value)})`
  }
}
