import {
  type AttributeValue,
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBServiceException,
  GetItemCommand,
  type GetItemCommandInput,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import {
  conditionHolds,
  type ExpressionInput,
  InvalidExpression,
  type Item,
  updated,
} from './dynamodb-expressions.ts'

type WriteInput = ExpressionInput & Pick<PutItemCommandInput, 'ReturnValuesOnConditionCheckFailure'>

/**
 * One DynamoDB table (keys `pk` and `sk`) at the level of the client's `send`: the commands and expressions that the
 * state store uses, with the real service's errors. Each command takes effect immediately and atomically.
 */
export class MemoryDynamoDb {
  /** Called before a write takes effect. */
  onWrite:
    | ((pk: string, sk: string, change: { before: Item | undefined; after: Item | undefined }) => void)
    | undefined
  /** Size of a query's page without a limit; 1 MB in the real service. */
  pageBytes: number
  /** Keys that one BatchGetItem processes. */
  maxBatchKeys = 100
  /** Whether the next read without ConsistentRead returns the state before the partition's last write. */
  isReadStale: () => boolean = () => false
  readonly #partitions = new Map<string, Map<string, Item>>()
  readonly #before = new Map<string, ReadonlyMap<string, Item>>()

  constructor(pageBytes = 1024 * 1024) {
    this.pageBytes = pageBytes
  }

  /** The signature of the real client. */
  async send(command: object): Promise<object> {
    return this.execute(command)
  }

  /** Throws what the real client would reject with. */
  execute(command: object): object {
    try {
      if (command instanceof GetItemCommand) return this.#get(command.input)
      if (command instanceof BatchGetItemCommand) return this.#batchGet(command.input)
      if (command instanceof QueryCommand) return this.#query(command.input)
      if (command instanceof PutItemCommand) {
        const { Item: item = {}, ConditionExpression } = command.input
        this.#write(item, ConditionExpression, { input: command.input, change: () => item })
        return {}
      }
      if (command instanceof DeleteItemCommand) {
        const { Key = {}, ConditionExpression } = command.input
        this.#write(Key, ConditionExpression, { input: command.input, change: () => undefined })
        return {}
      }
      if (command instanceof UpdateItemCommand) {
        const { Key = {}, ConditionExpression, UpdateExpression = '' } = command.input
        this.#write(Key, ConditionExpression, {
          input: command.input,
          change: (before) => updated(UpdateExpression, before ?? Key, command.input),
        })
        return {}
      }
    } catch (error) {
      if (!(error instanceof InvalidExpression)) throw error
      throw new DynamoDBServiceException({
        name: 'ValidationException',
        $fault: 'client',
        message: error.message,
        $metadata: { httpStatusCode: 400 },
      })
    }
    throw new Error(`The double does not support ${command.constructor.name}.`)
  }

  /** All items. */
  *all(): Generator<Item> {
    for (const pk of this.#partitions.keys()) yield* this.items(pk)
  }

  /** All items of a partition, for the oracle. */
  *items(pk: string): Generator<Item> {
    for (const item of this.#sorted(pk)) yield item
  }

  item(pk: string, sk: string): Item | undefined {
    return this.#partitions.get(pk)?.get(sk)
  }

  /** Deletes the expired items that `chooses` selects, as TTL does at some later time. */
  expire(nowSeconds: number, chooses: () => boolean): number {
    const expired = [...this.#partitions.values()]
      .flatMap((partition) => [...partition.values()])
      .filter((item) => item['expiresAt'] && Number(item['expiresAt'].N) < nowSeconds && chooses())
    for (const item of expired) this.#partitions.get(text(item['pk']))?.delete(text(item['sk']))
    return expired.length
  }

  #get({ Key = {}, ConsistentRead }: GetItemCommandInput): object {
    const isStale = ConsistentRead !== true && this.isReadStale()
    const items = isStale ? this.#before : this.#partitions
    const found = items.get(text(Key['pk']))?.get(text(Key['sk']))
    return found ? { Item: found } : {}
  }

  #batchGet({ RequestItems = {} }: BatchGetItemCommandInput): object {
    const responses: Record<string, object[]> = {}
    const unprocessed: BatchGetItemCommandInput['RequestItems'] = {}
    for (const [table, { Keys = [], ...options }] of Object.entries(RequestItems)) {
      if (Keys.length > 100) throw new InvalidExpression('Too many items requested for the BatchGetItem call')
      const processed = Keys.slice(0, this.maxBatchKeys)
      const rest = Keys.slice(this.maxBatchKeys)
      responses[table] = processed.flatMap((Key) =>
        Object.values(this.#get({ TableName: table, Key, ...options })),
      )
      if (rest.length > 0) unprocessed[table] = { ...options, Keys: rest }
    }
    return { Responses: responses, UnprocessedKeys: unprocessed }
  }

  #write(
    key: Item,
    condition: string | undefined,
    { input, change }: { input: WriteInput; change: (before: Item | undefined) => Item | undefined },
  ): void {
    const [pk, sk] = [text(key['pk']), text(key['sk'])]
    const before = this.item(pk, sk)
    if (condition !== undefined && !conditionHolds(condition, before ?? {}, input)) {
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        ...(input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && before && { Item: before }),
        $metadata: { httpStatusCode: 400 },
      })
    }
    const changed = change(before)
    const after = changed && asSent(changed)
    this.onWrite?.(pk, sk, { before, after })
    const partition = this.#partitions.get(pk) ?? new Map<string, Item>()
    this.#before.set(pk, new Map(partition))
    this.#partitions.set(pk, partition)
    if (after) partition.set(sk, after)
    else partition.delete(sk)
  }

  #query(input: QueryCommandInput): object {
    const values = Object.values(input.ExpressionAttributeValues ?? {})
    const pk = values.map(({ S }) => S ?? '').find((value) => this.#partitions.has(value)) ?? ''
    const isStale = input.ConsistentRead !== true && this.isReadStale()
    const sorted = this.#sorted(pk, isStale ? this.#before : this.#partitions)
    if (input.ScanIndexForward === false) sorted.reverse()
    const from =
      input.ExclusiveStartKey &&
      sorted.findIndex((item) => item['sk']?.S === input.ExclusiveStartKey?.['sk']?.S)
    const found: Item[] = []
    let bytes = 0
    for (const item of sorted.slice((from ?? -1) + 1)) {
      if (!conditionHolds(input.KeyConditionExpression ?? '', item, input)) continue
      found.push(item)
      bytes += sizeBytes(item)
      if (found.length === input.Limit || (input.Limit === undefined && bytes > this.pageBytes)) {
        return { Items: found, Count: found.length, LastEvaluatedKey: { pk: item['pk'], sk: item['sk'] } }
      }
    }
    return { Items: found, Count: found.length }
  }

  #sorted(pk: string, partitions: ReadonlyMap<string, ReadonlyMap<string, Item>> = this.#partitions): Item[] {
    const partition = partitions.get(pk)
    if (!partition) return []
    return [...partition.entries()]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, item]) => item)
  }
}

function text(value: AttributeValue | undefined): string {
  if (value?.S === undefined) throw new InvalidExpression('The key is incomplete.')
  return value.S
}

/** Bytes as the client returns them: a copy that is not a Buffer. */
function asSent(item: Item): Item {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, value.B ? { B: Uint8Array.from(value.B) } : value]),
  )
}

function sizeBytes(item: Item): number {
  let bytes = 0
  for (const [name, value] of Object.entries(item))
    bytes += name.length + (value.B?.length ?? JSON.stringify(value).length)
  return bytes
}
