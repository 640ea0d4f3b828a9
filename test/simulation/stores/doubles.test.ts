import {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedStores, startEmbeddedStores } from '../../integration/embedded-stores.ts'
import { MemoryDynamoDb } from './memory-dynamodb.ts'
import { MemoryS3 } from './memory-s3.ts'

let embedded: EmbeddedStores
beforeAll(async () => {
  embedded = await startEmbeddedStores()
})
afterAll(() => embedded.close())

type Send = { send(command: object): Promise<object> }

/** The outcome of a command, without request ids, times and messages, which always differ. */
async function outcome(client: Send, command: object): Promise<unknown> {
  try {
    const { $metadata: _, ...answer } = (await client.send(command)) as Record<string, unknown>
    return answer
  } catch (error) {
    const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } }
    return { error: name, status: $metadata?.httpStatusCode }
  }
}

describe('the DynamoDB double returns what the embedded server returns', () => {
  const TableName = () => embedded.table
  const key = (sk: string) => marshall({ pk: 'p', sk })
  const item = (sk: string, more: object = {}) =>
    marshall({ pk: 'p', sk, ...more }, { removeUndefinedValues: true })
  const lease = { runId: 'r1', worker: 'w1', until: 100, handedOff: false }
  const names = { '#lease': 'lease', '#runId': 'runId', '#worker': 'worker', '#until': 'until' }

  /** Each row is sent to both, after all rows before it. */
  const rows: readonly (readonly [string, () => object])[] = [
    [
      'get an item that does not exist',
      () => new GetItemCommand({ TableName: TableName(), Key: key('a'), ConsistentRead: true }),
    ],
    ['put a new item on a condition', () => putNew('a', { status: 'running', n: 1 })],
    ['put the same item again on a condition', () => putNew('a', { status: 'other' })],
    ['get', () => new GetItemCommand({ TableName: TableName(), Key: key('a') })],
    [
      'put on a condition on the status',
      () => putIf('a', { status: 'waiting', worker: 'w1' }, '#s IN (:a, :b) AND attribute_not_exists(#w)'),
    ],
    [
      'put on a condition on the status and the worker',
      () => putIf('a', { status: 'running' }, '#s IN (:a, :b) AND #w = :w'),
    ],
    ['put on a condition on another worker', () => putIf('a', { status: 'x' }, '#s IN (:a, :b) AND #w = :w')],
    [
      'put an item that does not exist on a condition on its status',
      () => putIf('none', {}, '#s IN (:a, :b) AND #w = :w'),
    ],
    [
      'update a map in an item that does not exist',
      () => update('e', 'SET #lease = :lease', 'attribute_not_exists(#lease)', { ':lease': lease }),
    ],
    [
      'update it again',
      () => update('e', 'SET #lease = :lease', 'attribute_not_exists(#lease)', { ':lease': lease }),
    ],
    [
      'update on a nested condition',
      () =>
        update(
          'e',
          'SET #lease = :lease',
          '#lease.#runId = :r AND #lease.#worker = :w AND #lease.#until = :u',
          { ':lease': { ...lease, until: 200 }, ':r': 'r1', ':w': 'w1', ':u': 100 },
        ),
    ],
    [
      'update on a nested condition that no longer holds',
      () =>
        update(
          'e',
          'SET #lease = :lease',
          '#lease.#runId = :r AND #lease.#worker = :w AND #lease.#until = :u',
          { ':lease': lease, ':r': 'r1', ':w': 'w1', ':u': 100 },
        ),
    ],
    [
      'compare a nested number',
      () =>
        update('e', 'SET #lease.#until = :u', 'attribute_not_exists(#lease) OR #lease.#until <= :u', {
          ':u': 200,
        }),
    ],
    [
      'compare text',
      () => update('e', 'SET #runId = :r', 'attribute_not_exists(#runId) OR #runId <= :r', { ':r': 'b' }),
    ],
    [
      'compare text that is too small',
      () => update('e', 'SET #runId = :r', 'attribute_not_exists(#runId) OR #runId <= :r', { ':r': 'a' }),
    ],
    [
      'compare with an attribute that does not exist',
      () => update('none', 'SET #until = :u', '#until <= :u', { ':u': 1 }),
    ],
    ['compare different types', () => update('e', 'SET #until = :u', '#runId <= :u', { ':u': 1 })],
    [
      'count from a first value',
      () =>
        update('c', 'SET #until = if_not_exists(#until, :zero) + :one', undefined, { ':zero': 5, ':one': 1 }),
    ],
    [
      'count up',
      () =>
        update('c', 'SET #until = if_not_exists(#until, :zero) + :one', undefined, { ':zero': 5, ':one': 1 }),
    ],
    ['ADD', () => update('c', 'ADD #worker :one', undefined, { ':one': 3 })],
    ['remove an attribute', () => update('e', 'REMOVE #lease', '#lease.#runId = :r', { ':r': 'r1' })],
    [
      'remove an attribute that does not exist',
      () => update('e', 'REMOVE #lease', '#lease.#runId = :r', { ':r': 'r1' }),
    ],
    ['get the result of all changes', () => new GetItemCommand({ TableName: TableName(), Key: key('e') })],
    ['get several items, one of which does not exist', () => getAll('a', 'none', 'e')],
    ['get one of several that does not exist', () => getAll('none')],
    ['delete on a condition that does not hold', () => remove('a', 'status = :v', { ':v': 'no' }, {})],
    ['delete on a condition', () => remove('c', '#until = :v', { ':v': 7 }, { '#until': 'until' })],
    [
      'put binary data',
      () => putNew('page#000001', { fingerprints: Buffer.from([0, 255, 3]), end: false, token: undefined }),
    ],
    ['put another item', () => putNew('page#000003', { documents: 3 })],
    [
      'put an item between two others',
      () => putNew('page#000002', { documents: 2, list: [1, 'x', null, { a: true }] }),
    ],
    ['query a partition', () => query('pk = :pk', {})],
    ['query the last item', () => query('pk = :pk', { ScanIndexForward: false, Limit: 1 })],
    ['query by a prefix', () => query('pk = :pk AND begins_with(sk, :p)', { values: { ':p': 'page#' } })],
    [
      'query by a prefix with a limit that equals the number of items',
      () => query('pk = :pk AND begins_with(sk, :p)', { values: { ':p': 'page#' }, Limit: 3 }),
    ],
    ['query after a key', () => query('pk = :pk', { ExclusiveStartKey: key('page#000001') })],
    [
      'query a range',
      () =>
        query('pk = :pk AND sk BETWEEN :p AND :q', { values: { ':p': 'page#000002', ':q': 'page#000009' } }),
    ],
    ['query an empty partition', () => query('pk = :pk', { pk: 'empty' })],
  ]

  it('for every command', async () => {
    const memory = new MemoryDynamoDb()
    for (const [name, command] of rows) {
      const expected = await outcome(embedded.dynamodb as unknown as Send, command())
      expect({ name, ...plain(await outcome(memory, command())) }).toEqual({ name, ...plain(expected) })
    }
  })

  it('for queries with pages of 1 MB', async () => {
    const memory = new MemoryDynamoDb()
    const clients = [embedded.dynamodb as unknown as Send, memory]
    for (let page = 1; page <= 8; page++) {
      const put = new PutItemCommand({
        TableName: TableName(),
        Item: marshall({ pk: 'big', sk: `page#${page}`, bytes: Buffer.alloc(300_000, page) }),
      })
      for (const client of clients) await client.send(put)
    }
    for (const client of clients) {
      const found: string[] = []
      let pages = 0
      let from: Record<string, never> | undefined
      do {
        const answer = (await client.send(query('pk = :pk', { pk: 'big', ExclusiveStartKey: from }))) as {
          Items: Record<string, { S: string }>[]
          LastEvaluatedKey?: Record<string, never>
        }
        found.push(...answer.Items.map((one) => one['sk']?.S ?? ''))
        from = answer.LastEvaluatedKey
        pages++
      } while (from)
      expect(found).toEqual(Array.from({ length: 8 }, (_, at) => `page#${at + 1}`))
      expect(pages).toBe(3)
    }
  })

  function getAll(...names: readonly string[]) {
    return new BatchGetItemCommand({ RequestItems: { [TableName()]: { Keys: names.map(key) } } })
  }
  function putNew(sk: string, more: object) {
    return new PutItemCommand({
      TableName: TableName(),
      Item: item(sk, more),
      ConditionExpression: 'attribute_not_exists(pk)',
    })
  }
  function putIf(sk: string, more: object, condition: string) {
    return new PutItemCommand({
      TableName: TableName(),
      Item: item(sk, more),
      ConditionExpression: condition,
      ExpressionAttributeNames: { '#s': 'status', '#w': 'worker' },
      ExpressionAttributeValues: marshall({
        ':a': 'running',
        ':b': 'waiting',
        ...(condition.includes(':w') && { ':w': 'w1' }),
      }),
    })
  }
  function update(...[sk, expression, condition, values]: [string, string, string | undefined, object]) {
    const used = Object.entries(names).filter(([name]) => `${expression} ${condition}`.includes(name))
    return new UpdateItemCommand({
      TableName: TableName(),
      Key: key(sk),
      UpdateExpression: expression,
      ConditionExpression: condition,
      ExpressionAttributeNames: Object.fromEntries(used),
      ExpressionAttributeValues: marshall(values),
    })
  }
  function remove(...[sk, condition, values, used]: [string, string, object, Record<string, string>]) {
    return new DeleteItemCommand({
      TableName: TableName(),
      Key: key(sk),
      ConditionExpression: condition.replace('status', '#status'),
      ExpressionAttributeNames: condition.startsWith('status') ? { '#status': 'status' } : used,
      ExpressionAttributeValues: marshall(values),
    })
  }
  function query(condition: string, { pk = 'p', values = {}, ...more }: Record<string, unknown>) {
    return new QueryCommand({
      TableName: TableName(),
      KeyConditionExpression: condition,
      ExpressionAttributeValues: marshall({ ':pk': pk, ...(values as object) }),
      ConsistentRead: true,
      ...more,
    })
  }
})

describe('the S3 double returns what the embedded server returns', () => {
  const Bucket = () => embedded.bucket
  const put = (Key: string, Body: string, more: object = {}) =>
    new PutObjectCommand({ Bucket: Bucket(), Key, Body, ...more })
  /** Conditions of a PUT are tested below: the embedded server ignores them. */
  const rows: readonly (readonly [string, () => object])[] = [
    ['get an item that does not exist', () => new GetObjectCommand({ Bucket: Bucket(), Key: 'd/none' })],
    ['put', () => put('d/b.json', '{"b":1}', { ContentType: 'application/json' })],
    [
      'put an object with a hash',
      () => put('d/a', 'a', { ChecksumSHA256: 'ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=' }),
    ],
    ['replace an object', () => put('d/a', 'aa')],
    ['put an object with another prefix', () => put('e/ü b', 'x')],
    ['get', () => new GetObjectCommand({ Bucket: Bucket(), Key: 'd/a' })],
    ['list', () => new ListObjectsV2Command({ Bucket: Bucket(), Prefix: 'd/' })],
    ['list an empty prefix', () => new ListObjectsV2Command({ Bucket: Bucket(), Prefix: 'x/' })],
    [
      'delete objects, one of which does not exist',
      () =>
        new DeleteObjectsCommand({
          Bucket: Bucket(),
          Delete: { Objects: [{ Key: 'd/a' }, { Key: 'd/none' }], Quiet: true },
        }),
    ],
    ['list the remaining objects', () => new ListObjectsV2Command({ Bucket: Bucket(), Prefix: 'd/' })],
  ]

  it('for every command', async () => {
    const memory = new MemoryS3()
    for (const [name, command] of rows) {
      const expected = await shape(await outcome(embedded.s3 as unknown as Send, command()))
      expect({ name, ...(await shape(await outcome(memory, command()))) }).toEqual({ name, ...expected })
    }
  })

  it('for lists of several pages', async () => {
    const memory = new MemoryS3()
    for (const client of [embedded.s3 as unknown as Send, memory]) {
      for (const name of ['c', 'a', 'b', 'e', 'd']) await client.send(put(`list/${name}`, name))
      const found: string[] = []
      let from: string | undefined
      do {
        const answer = (await client.send(
          new ListObjectsV2Command({
            Bucket: Bucket(),
            Prefix: 'list/',
            MaxKeys: 2,
            ContinuationToken: from,
          }),
        )) as { Contents: { Key: string }[]; NextContinuationToken?: string }
        found.push(...answer.Contents.map(({ Key }) => Key))
        from = answer.NextContinuationToken
      } while (from)
      expect(found).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `list/${name}`))
    }
  })

  it('and checks conditions, which the embedded server ignores', async () => {
    const memory = new MemoryS3()
    const first = (await outcome(memory, put('k', 'one', { IfNoneMatch: '*' }))) as { ETag: string }
    expect(await outcome(memory, put('k', 'two', { IfNoneMatch: '*' }))).toEqual({
      error: 'PreconditionFailed',
      status: 412,
    })
    expect(await outcome(memory, put('k', 'two', { IfMatch: '"other"' }))).toEqual({
      error: 'PreconditionFailed',
      status: 412,
    })
    expect(await outcome(memory, put('k', 'two', { IfMatch: first.ETag }))).toMatchObject({
      ETag: expect.any(String),
    })
    expect(await outcome(memory, put('k', 'three', { IfMatch: first.ETag }))).toMatchObject({ status: 412 })
    expect(await outcome(memory, put('none', 'x', { IfMatch: first.ETag }))).toMatchObject({ status: 404 })
    expect(await outcome(memory, put('k', 'x', { ChecksumSHA256: 'AAAA' }))).toMatchObject({ status: 400 })
  })
})

/** The part of DynamoDB's answer that the store reads. */
function plain(answer: unknown): object {
  const { Item, Items, LastEvaluatedKey, Responses, UnprocessedKeys, error } = answer as Record<string, never>
  const byTable = Object.values(Responses ?? {}).flat() as Parameters<typeof unmarshall>[0][]
  return {
    error,
    // The service returns them in any order.
    batch: Responses && byTable.map((one) => unmarshall(one)).toSorted(bySortKey),
    unprocessed: UnprocessedKeys,
    item: Item && unmarshall(Item),
    items: (Items as never[] | undefined)?.map((one) => unmarshall(one)),
    from: LastEvaluatedKey && unmarshall(LastEvaluatedKey),
  }
}

const bySortKey = (one: Record<string, string>, other: Record<string, string>) =>
  (one['sk'] ?? '') < (other['sk'] ?? '') ? -1 : 1

/** The part of S3's answer that the store reads. */
async function shape(answer: unknown): Promise<object> {
  const { Body, ETag, Contents, NextContinuationToken, error, status } = answer as {
    Body?: AsyncIterable<Buffer>
    ETag?: string
    Contents?: { Key: string }[]
    NextContinuationToken?: string
    error?: string
    status?: number
  }
  return {
    body: Body && (await textOf(Body)),
    ETag,
    keys: Contents?.map(({ Key }) => Key),
    NextContinuationToken,
    error,
    status,
  }
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk.toString()
  return text
}
