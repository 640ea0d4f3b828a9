import { argv } from 'node:process'
import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { NoSuchKey, type S3Client } from '@aws-sdk/client-s3'
import { marshall } from '@aws-sdk/util-dynamodb'
import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { connectTable } from '../../functions/state/dynamodb/connect.aws.ts'
import { itemVersion } from '../../functions/state/item-version.ts'
import { newRun, type PublishingRun } from '../../functions/state/run/run.ts'
import { createSnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../functions/state/sync-state.ts'
import { publish } from '../../functions/worker/publish/publish.ts'
import { resolveConfig, settingsOf } from '../../lib/config.ts'
import { report } from './report.ts'

/**
 * Resumes a run that is `publishing`: counts the pages, then writes the manifest and `latest.json`. The clients of the
 * SDK are replaced by two that respond at once, with generated page items.
 */
const documents = Number(argv[2])
const pageSize = 1000
/** DynamoDB returns at most 1 MB per query. */
const itemsPerQuery = 110
const pageCount = documents / pageSize
let manifestBytes = 0

const dynamodb = {
  async send({ input }: { input: { ExclusiveStartKey?: { sk: { S: string } }; Limit?: number } }) {
    if (input.Limit === 1) return { Items: [pageItem(pageCount)] }
    const from = pageOf(input.ExclusiveStartKey?.sk.S)
    const to = Math.min(from + itemsPerQuery, pageCount)
    const Items = Array.from({ length: to - from }, (_, index) => pageItem(from + index + 1))
    return { Items, ...(to < pageCount && { LastEvaluatedKey: { sk: { S: sortKey(to) } } }) }
  },
}
const s3 = {
  async send(command: {
    constructor: { name: string }
    input: { Body?: string; Key?: string; Prefix?: string; Delimiter?: string }
  }) {
    const { name } = command.constructor
    if (name === 'GetObjectCommand') throw new NoSuchKey({ message: '', $metadata: {} })
    if (name === 'ListObjectsV2Command' && command.input.Delimiter === undefined)
      return { Contents: Array.from({ length: pageCount }, (_, index) => ({ Key: keyOf(index + 1) })) }
    const { Key, Body } = command.input
    if (Key?.endsWith('manifest.json')) manifestBytes = Buffer.byteLength(Body ?? '')
    return {}
  },
}

const state = createStateStore(connectTable('bench', dynamodb as unknown as DynamoDBClient))
const snapshots = createSnapshotStore('bench', s3 as unknown as S3Client)
const changes = createChangeSetStore('bench', s3 as unknown as S3Client)
const { entities } = settingsOf(
  resolveConfig({
    upstream: { baseUrl: 'https://example.com' },
    entities: [{ name: 'BENCH', schedule: 'rate(1 day)' }],
  }),
)
const [entity] = entities
if (!entity) throw new Error('The configuration has no entity.')

const startMegabytes = process.memoryUsage.rss() / 2 ** 20
const startedAt = performance.now()
const run: PublishingRun = {
  ...newRun({
    runId: '20261121T000000000Z-0123456789ab',
    entity,
    acceptShrink: false,
    execution: undefined,
    now: Date.now(),
  }),
  status: 'publishing',
  result: {
    proof: 'exact',
    documents,
    uniqueIds: documents,
    pages: pageCount,
    reportedTotal: documents,
    pageSize,
    openedAt: new Date().toISOString(),
    finishedAt: new Date().toISOString(),
    spent: { requests: 0, receivedBytes: 0, milliseconds: 0 },
    partitions: undefined,
  },
}
const published = await publish(
  { state, snapshots, changes, publishEvent: async () => {}, log: () => {}, now: Date.now },
  run,
  { entity, pages: undefined },
)
if (published.status !== 'published' || published.documents !== documents) {
  throw new Error(`Not published: ${JSON.stringify(published)}`)
}
report(startedAt, { startMegabytes, manifestMegabytes: manifestBytes / 2 ** 20 })

function keyOf(page: number): string {
  return `snapshots/BENCH/20261121T000000000Z-bench/a1-p${String(page).padStart(6, '0')}-0123456789abc.ndjson.gz`
}

function sortKey(page: number): string {
  return `page#${String(page).padStart(6, '0')}`
}

function pageOf(sk = 'page#0'): number {
  return Number(sk.slice('page#'.length))
}

function pageItem(page: number): Record<string, AttributeValue> {
  const fingerprints = new Uint32Array(2 * pageSize)
  for (let index = 0; index < pageSize; index++) {
    // Every step is invertible, so that different documents have different fingerprints, distributed like a hash.
    let mixed = Math.imul(((page - 1) * pageSize + index) ^ 0x9e3779b9, 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35)
    fingerprints[2 * index] = mixed ^ (mixed >>> 16)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0x27d4eb2f)
    fingerprints[2 * index + 1] = mixed ^ (mixed >>> 16)
  }
  return marshall({
    pk: 'run#bench#1',
    sk: sortKey(page),
    kind: 'page',
    version: itemVersion,
    page,
    documentsWithoutId: 0,
    repeatedPages: 0,
    key: keyOf(page),
    documents: pageSize,
    documentsSoFar: page * pageSize,
    bytes: 250_000,
    sha256: page.toString(16).padStart(64, '0'),
    fingerprints: new Uint8Array(fingerprints.buffer),
    token: 'a-token-of-the-platform',
    pageSize,
    total: documents,
    openedAt: 1,
    respondedAt: 1,
  })
}
