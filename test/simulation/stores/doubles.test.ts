import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTable } from '../../../stored/dynamodb/connect.aws.ts'
import type {
  Change,
  Condition,
  KeyRange,
  Read,
  TableClient,
  Write,
  WriteResult,
} from '../../../stored/dynamodb/state-table.ts'
import { absent, absentOrAtMost, equal, isNew, isOneOf } from '../../../stored/dynamodb/state-table.ts'
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
    const { $metadata: _, ...response } = (await client.send(command)) as Record<string, unknown>
    return response
  } catch (error) {
    const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } }
    return { error: name, status: $metadata?.httpStatusCode }
  }
}

describe('the DynamoDB double responds as the embedded server does', () => {
  let memory: MemoryDynamoDb
  let clients: readonly TableClient[]
  beforeAll(() => {
    memory = new MemoryDynamoDb()
    clients = [connectTable(embedded.table, embedded.dynamodb), memory]
  })

  const always = {}
  const keyOf = (sk: string) => ({ pk: 'p', sk })
  const put = (sk: string, attributes: object, condition: Condition = always): Write => ({
    kind: 'put',
    item: { ...keyOf(sk), ...attributes },
    condition,
  })
  const update = (sk: string, change: Change): Write => ({
    kind: 'update',
    key: keyOf(sk),
    change,
    condition: always,
  })
  const remove = (sk: string): Write => ({ kind: 'remove', key: keyOf(sk), condition: always })

  const owned = { lease: { runId: 'b', until: 10 }, expiresAt: 10, status: 'waiting' }
  const rows: readonly [string, Condition, object | undefined, WriteResult['kind']][] = [
    ['empty, of a new item', {}, undefined, 'written'],
    ['empty', {}, {}, 'written'],
    ['a key that is absent, of a new item', isNew, undefined, 'written'],
    ['a key that is absent, of an item that exists', isNew, {}, 'refused'],
    ['an absent attribute, of a new item', { lease: absent }, undefined, 'written'],
    ['an absent attribute', { lease: absent }, {}, 'written'],
    ['an absent attribute that exists', { lease: absent }, owned, 'refused'],
    ['an absent member of an absent map', { 'lease.runId': absent }, {}, 'written'],
    ['equal text', { status: equal('waiting') }, owned, 'written'],
    ['other text', { status: equal('running') }, owned, 'refused'],
    ['an equal number', { expiresAt: equal(10) }, owned, 'written'],
    ['a number equal to text', { expiresAt: equal('10') }, owned, 'refused'],
    ['equal, of an absent attribute', { status: equal('waiting') }, {}, 'refused'],
    ['equal, of a new item', { status: equal('waiting') }, undefined, 'refused'],
    ['an equal member of a map', { 'lease.runId': equal('b') }, owned, 'written'],
    ['another member of a map', { 'lease.runId': equal('c') }, owned, 'refused'],
    ['a member of an absent map', { 'lease.runId': equal('b') }, {}, 'refused'],
    ['the only one of some values', { status: isOneOf(['waiting']) }, owned, 'written'],
    ['the last of some values', { status: isOneOf(['running', 'waiting']) }, owned, 'written'],
    ['none of some values', { status: isOneOf(['running', 'failed']) }, owned, 'refused'],
    ['one of some values, of a new item', { status: isOneOf(['waiting']) }, undefined, 'refused'],
    ['at most an equal number', { expiresAt: absentOrAtMost(10) }, owned, 'written'],
    ['at most a greater number', { expiresAt: absentOrAtMost(11) }, owned, 'written'],
    ['at most a smaller number', { expiresAt: absentOrAtMost(9) }, owned, 'refused'],
    ['at most a number, of text', { status: absentOrAtMost(9) }, owned, 'refused'],
    ['at most a later text', { 'lease.runId': absentOrAtMost('c') }, owned, 'written'],
    ['at most an earlier text', { 'lease.runId': absentOrAtMost('a') }, owned, 'refused'],
    ['at most a number, of an absent attribute', { expiresAt: absentOrAtMost(9) }, {}, 'written'],
    ['at most a number, of a new item', { expiresAt: absentOrAtMost(9) }, undefined, 'written'],
    [
      'several tests that pass',
      { expiresAt: absentOrAtMost(10), 'lease.runId': equal('b'), 'lease.until': equal(10) },
      owned,
      'written',
    ],
    ['a test that passes and one that fails', { ...isNew, status: equal('waiting') }, owned, 'refused'],
    ['the first test fails', { status: equal('running'), expiresAt: absentOrAtMost(10) }, owned, 'refused'],
  ]
  it.each(rows)('to a write whose condition is %s', async (...[, condition, stored, expected]) => {
    const write = put('c', { isWritten: true }, condition)
    for (const client of clients) {
      await client.write(stored ? put('c', stored) : remove('c'))
      expect((await client.write(write)).kind).toBe(expected)
      const { items } = await client.read({ kind: 'get', key: keyOf('c') })
      const kept = stored && { ...keyOf('c'), ...stored }
      const written = { ...keyOf('c'), isWritten: true }
      expect(items[0]).toEqual(expected === 'written' ? written : kept)
    }
  })

  const query = (range: KeyRange = {}): Read => ({ kind: 'query', pk: 'p', ...range })
  /** Each row is sent to both, after all rows before it. */
  const requests: readonly [string, Read | Write][] = [
    ['get an item that does not exist', { kind: 'get', key: keyOf('a') }],
    ['put', put('a', { status: 'running', n: 1, list: [1, 'x', null, { a: true }] })],
    ['get', { kind: 'get', key: keyOf('a') }],
    [
      'put bytes and what is undefined',
      put('page#000001', { bytes: Buffer.from([0, 255]), none: undefined }),
    ],
    ['put another item', put('page#000003', { documents: 3 })],
    ['put an item between two others', put('page#000002', { documents: 2 })],
    ['set attributes of a new item', update('e', { set: { lease: { until: 1 }, runId: 'r' } })],
    ['set attributes of an item', update('e', { set: { lease: { worker: 'w' }, version: 2 } })],
    ['remove attributes', update('e', { remove: ['lease', 'none'] })],
    ['remove an attribute of a new item', update('f', { remove: ['lease'] })],
    ['delete', remove('c')],
    ['delete an item that does not exist', remove('c')],
    ['get several items, one of which does not exist', { kind: 'batch', keys: ['a', 'x', 'e'].map(keyOf) }],
    ['query a partition', query()],
    ['query the last item', query({ newestFirst: true, limit: 1 })],
    ['query by a prefix', query({ prefix: 'page#' })],
    ['query as many items as there are', query({ prefix: 'page#', limit: 3 })],
    ['query after a key', query({ after: 'page#000001' })],
    ['query before a key', query({ after: 'page#000002', newestFirst: true, prefix: 'page#' })],
    ['query an empty partition', { kind: 'query', pk: 'empty' }],
  ]

  it('to every request', async () => {
    for (const [name, request] of requests) {
      const [expected, actual] = await Promise.all(clients.map((client) => respond(client, request)))
      expect({ name, ...actual }).toEqual({ name, ...expected })
    }
  })

  it.each([undefined, 7])('to queries with pages of 1 MB, and the limit %s', async (limit) => {
    for (const client of clients) {
      for (let page = 1; page <= 8; page++) {
        const item = { pk: 'big', sk: `page#${page}`, bytes: Buffer.alloc(300_000, page) }
        await client.write({ kind: 'put', item, condition: always })
      }
      const sizes: number[] = []
      let after: string | undefined
      do {
        const { items, rest } = await client.read({ kind: 'query', pk: 'big', after, limit })
        sizes.push(items.length)
        after = rest[0]?.sk
      } while (after)
      expect(sizes).toEqual([4, 4, 0])
    }
  })
})

/** A batch has its items in any order. */
async function respond(client: TableClient, request: Read | Write): Promise<object> {
  if (request.kind === 'put' || request.kind === 'update' || request.kind === 'remove')
    return client.write(request)
  const { items, rest } = await client.read(request)
  const ordered = items.toSorted((one, other) => (one.sk < other.sk ? -1 : 1))
  return { items: request.kind === 'batch' ? ordered : items, rest }
}

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
        const response = (await client.send(
          new ListObjectsV2Command({
            Bucket: Bucket(),
            Prefix: 'list/',
            MaxKeys: 2,
            ContinuationToken: from,
          }),
        )) as { Contents: { Key: string }[]; NextContinuationToken?: string }
        found.push(...response.Contents.map(({ Key }) => Key))
        from = response.NextContinuationToken
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

/** The part of S3's response that the store reads. */
async function shape(response: unknown): Promise<object> {
  const { Body, ETag, Contents, NextContinuationToken, error, status } = response as {
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
