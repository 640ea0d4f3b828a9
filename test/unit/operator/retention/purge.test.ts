import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findOrphans } from '../../../../functions/problems/orphans.ts'
import { startDynamoDb } from '../../../../local/embedded/dynamodb.aws.ts'
import { awsEnvironment } from '../../../../local/embedded/environment.ts'
import { listen, type Served } from '../../../../local/embedded/listen.ts'
import { startS3 } from '../../../../local/embedded/s3.ts'
import { awsClients } from '../../../../operator/aws/clients.aws.ts'
import { defaultInstancePath } from '../../../../operator/deployment/local-address.ts'
import { failureOf } from '../../../../operator/errors.ts'
import { openPurge, planPurge, purge } from '../../../../operator/retention/purge.ts'
import { itemVersion } from '../../../../stored/item-version.ts'
import { createSnapshotStore } from '../../../../stored/snapshots/snapshots.aws.ts'

const [bucket, table] = ['snapshots', 'state']
const entities = [{ name: 'CL' }, { name: 'AD' }]
let servers: Awaited<ReturnType<typeof startS3>>[]
beforeAll(async () => {
  const [s3, dynamoDb] = await Promise.all([startS3({ bucket }), startDynamoDb({ table })])
  servers = [s3, dynamoDb]
  const endpoints = { s3: s3.endpoint, dynamoDb: dynamoDb.endpoint }
  for (const [name, value] of Object.entries(awsEnvironment(endpoints))) vi.stubEnv(name, value)
  await Promise.all([...stored, ...others].map((Key) => put(Key, Key)))
  await put(
    'snapshots/PR/latest.json',
    JSON.stringify({ runId: 'r1', manifest: 'm', documents: 95, publishedAt: 'T' }),
  )
  for (const [pk, sk] of items) {
    const Item = { pk: { S: pk ?? '' }, sk: { S: sk ?? '' }, version: { N: String(itemVersion) } }
    await awsClients.table().send(new PutItemCommand({ TableName: table, Item }))
  }
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all(servers.map((server) => server.close()))
})

const stored = ['snapshots/PR/r1/a1-p000001-x.ndjson.gz', 'snapshots/PR/r2/r1-a2-p000001-x.ndjson.gz']
const others = [
  ...'snapshots/CL/latest.json changes/QU/latest.json iceberg/RE/v1.json tables/AD/pages.txt'.split(' '),
  ...'tables/AD.changes/parts.txt tables/SU.changes/parts.txt'.split(' '),
]
const items = [
  ['entity#PR', 'entity'],
  ['entity#PR', 'run#r1'],
  ['run#r1#a1', 'page#000001'],
  // Of 1.0.0.
  ['run#r2#r1#2', 'page#000001'],
  ['entity#ST', 'entity'],
  ['entity#CL', 'entity'],
]

const put = (Key: string, Body: string) =>
  awsClients.bucket().send(new PutObjectCommand({ Bucket: bucket, Key, Body }))

async function left() {
  const { Contents = [] } = await awsClients.bucket().send(new ListObjectsV2Command({ Bucket: bucket }))
  const { Items = [] } = await awsClients.table().send(new ScanCommand({ TableName: table }))
  return [Contents.map(({ Key = '' }) => Key).toSorted(), Items.map(({ pk }) => pk?.S ?? '').toSorted()]
}

function operation(signal = new AbortController().signal) {
  const shown: unknown[] = []
  return {
    shown,
    deployment: { bucket, table, stateMachineArn: '', configuration: { name: 'L', entities }, now: Date.now },
    target: { kind: 'local', path: defaultInstancePath },
    reporter: {
      progress: (title: string) => ({
        show: (...step: unknown[]) => void shown.push([title, ...step]),
        end: () => void shown.push('end'),
      }),
    },
    signal,
  }
}

const open = (of: object = operation()) => openPurge(of as never)
const plan = (entity: string) => planPurge(open(), entity)

describe('the data of an entity that is not configured', () => {
  it('is found for every entity, by name', async () => {
    const nothing = { snapshot: null }
    const snapshots = createSnapshotStore(bucket, awsClients.bucket())
    expect(await findOrphans({ settings: { entities }, snapshots })).toEqual([
      { entity: 'PR', snapshot: { documents: 95, publishedAt: 'T' } },
      { entity: 'QU', ...nothing },
      { entity: 'RE', ...nothing },
      { entity: 'SU', ...nothing },
    ])
  })

  it('is found with the items of its runs and pages', async () => {
    const found = await plan('PR')
    expect([found.entity, found.snapshot]).toEqual(['PR', { documents: 95, publishedAt: 'T' }])
    expect(found.versions.map(({ key }) => key)).toEqual(['snapshots/PR/latest.json', ...stored])
    const textOf = (key: readonly (string | undefined)[]) => key.join(' ')
    expect(found.items.map(({ key: { pk, sk } }) => textOf([pk, sk])).toSorted()).toEqual(
      items.slice(0, 4).map(textOf).toSorted(),
    )
  })

  it('may be items alone', async () => {
    const found = await plan('ST')
    expect(found).toMatchObject({ entity: 'ST', snapshot: null, versions: [] })
    expect(found.items).toHaveLength(1)
  })

  it('may be objects alone', async () => {
    expect(await plan('QU')).toMatchObject({
      snapshot: null,
      versions: [{ key: 'changes/QU/latest.json' }],
      items: [],
    })
  })

  it('is not found if nothing is stored', async () => {
    expect(await plan('XX').catch(failureOf)).toEqual({
      kind: 'problem',
      message: 'No data of XX is stored.',
      fix: 'list the data of entities that are not configured: npx --no-install longshore --local doctor',
    })
  })

  it('is not looked for if the entity is configured', async () => {
    expect(await plan('CL').catch(failureOf)).toMatchObject({
      message: 'CL is configured, so its data is in use. Nothing was deleted.',
    })
  })

  it('is deleted, and nothing else', async () => {
    const deleting = operation()
    await purge(open(deleting), await plan('PR'))
    expect(deleting.shown).toEqual([['PR', 0, 3], ['PR', 1, 3], ['PR', 3, 3], 'end'])
    expect(await left()).toEqual([others.toSorted(), ['entity#CL', 'entity#ST']])
  })
})

const version = { key: 'k', versionId: 'v' }
const interrupt = async (versions: number) => {
  const interrupted = operation(AbortSignal.abort())
  const found = { entity: 'PR', snapshot: null, versions: Array(versions).fill(version), items: [] }
  return { failure: await purge(open(interrupted), found).catch(failureOf), shown: interrupted.shown }
}

it('an interruption of a purge names how much remains', async () => {
  expect(await interrupt(2)).toEqual({
    failure: {
      kind: 'interrupted',
      message: 'Interrupted: 2 of 2 versions remain. Run the command again to delete them.',
    },
    shown: ['end'],
  })
})

describe('the Glue table of typed documents', () => {
  const calls: string[] = []
  let status = 200
  let glue: Served
  beforeAll(async () => {
    const respond = async (request: IncomingMessage, response: ServerResponse) => {
      calls.push(String(request.headers['x-amz-target']), await text(request))
      const error = { __type: status === 400 ? 'EntityNotFoundException' : 'InternalServiceException' }
      response.writeHead(status).end(JSON.stringify(status === 200 ? {} : error))
    }
    glue = await listen(createServer((request, response) => void respond(request, response)))
    vi.stubEnv('AWS_ENDPOINT_URL_GLUE', glue.endpoint)
  })
  afterAll(() => glue.close())

  const readUse = async () =>
    ({ isConfigured: false, isDeployed: false, lease: undefined, execution: undefined, now: 0 }) as const
  const file = 'iceberg/T-A/v1.metadata.json'
  const purgeIn = async ({ kind = 'stacks', athena = true, key = file }) => {
    await put(key, 'x')
    calls.length = 0
    const { deployment, ...rest } = operation()
    const configuration = { name: 'My-Shop', entities, athena }
    const purging = { ...rest, deployment: { ...deployment, configuration }, target: { kind } } as never
    const context = { ...open(purging), readUse }
    const failure = await purge(context, await planPurge(context, 'T-A')).catch((error: Error) => error.name)
    return { calls, failure, left: (await left())[0]?.filter((one) => one.includes('T-A')) }
  }
  const drop = [
    'AWSGlue.DeleteTable',
    JSON.stringify({ DatabaseName: 'my_shop_snapshots_tables', Name: 't_a' }),
  ]

  it.each([200, 400])('is dropped with its files, also if it is gone (%i)', async (code) => {
    status = code
    expect(await purgeIn({})).toEqual({ calls: drop, failure: undefined, left: [] })
  })

  it('keeps its files while Glue fails, so that the command can be run again', async () => {
    status = 500
    expect(await purgeIn({})).toMatchObject({ failure: 'InternalServiceException', left: [file] })
  })

  it.each([
    { place: 'npm start', kind: 'local' },
    { place: 'a deployment without Athena', athena: false },
    { place: 'an entity without columns', key: 'changes/T-A/latest.json' },
  ])('is not looked for in $place', async (where) => {
    expect(await purgeIn(where)).toEqual({ calls: [], failure: undefined, left: [] })
  })
})
