import assert from 'node:assert/strict'
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { PutObjectCommandInput } from '@aws-sdk/client-s3'
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { childrenOf, variablesOf } from '../../processes.ts'
import type { Check } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { region } from '../emulator.ts'
import { functionOf } from '../grants.ts'
import type { Credentials } from '../signed-call.ts'
import { writeObject } from '../snapshot-proof.ts'
import { refusedEverywhere } from './callers.ts'

/** Invokes each function, so that it has a process. */
const wake = {
  Proxy: ({ callApi }: CheckContext) => callApi({ path: '/api/logistics/pvt/configuration/docks/1' }),
  SyncApi: ({ callApi }: CheckContext) => callApi({ path: '/syncs' }),
  OpenApi: ({ callApi }: CheckContext) => callApi({ path: '/openapi.json' }),
  Worker: (context: CheckContext) => invoke(context, 'Worker', { entity: 'Nobody' }),
  Publisher: (context: CheckContext) =>
    invoke(context, 'Publisher', { task: 'check', entity: 'Nobody', runId: 'none' }),
  Compare: (context: CheckContext) => invoke(context, 'Compare', { entity: 'Granted' }),
  Tables: (context: CheckContext) => invoke(context, 'Tables', { entity: 'Granted' }),
  Freshness: (context: CheckContext) => invoke(context, 'Freshness', {}),
}
type Role = keyof typeof wake
const roles = Object.keys(wake) as Role[]

interface Deed {
  readonly what: string
  /** The functions that are allowed each action. All others are refused. */
  readonly may: readonly Role[]
  do(thief: Thief): Promise<unknown>
}

const snapshotKey = 'snapshots/Nobody/stolen.ndjson.gz'
const setKey = 'changes/Nobody/stolen.ndjson.gz'
const tableKey = 'iceberg/Nobody/stolen.parquet'
const stateKey = { pk: { S: 'stolen' }, sk: { S: 'stolen' } }

const put = (s3: S3Client, input: PutObjectCommandInput) =>
  s3.send(new PutObjectCommand({ ...input, Body: 'stolen' }))

const deeds: readonly Deed[] = [
  {
    what: 'reads the platform’s keys',
    may: ['Proxy', 'Worker'],
    do: ({ secrets, place }) => secrets.send(new GetSecretValueCommand({ SecretId: place.secretArn })),
  },
  {
    what: 'reads the state',
    may: ['Proxy', 'SyncApi', 'Worker', 'Publisher', 'Freshness'],
    do: ({ table, place }) => table.send(new GetItemCommand({ TableName: place.table, Key: stateKey })),
  },
  {
    what: 'writes the state',
    may: ['Proxy', 'SyncApi', 'Worker', 'Freshness'],
    do: ({ table, place }) => table.send(new PutItemCommand({ TableName: place.table, Item: stateKey })),
  },
  {
    what: 'writes a new page',
    may: ['Worker'],
    do: ({ s3, place }) =>
      put(s3, { Bucket: place.bucket, Key: `${snapshotKey}.${Date.now()}.ndjson.gz`, IfNoneMatch: '*' }),
  },
  {
    what: 'says that a snapshot is proven',
    may: ['Publisher'],
    do: ({ s3, place }) => put(s3, { Bucket: place.bucket, Key: 'snapshots/Nobody/stolen/evidence.json' }),
  },
  {
    what: 'reads a snapshot',
    may: ['SyncApi', 'Worker', 'Publisher', 'Compare', 'Tables'],
    do: ({ s3, place }) => s3.send(new GetObjectCommand({ Bucket: place.bucket, Key: snapshotKey })),
  },
  {
    what: 'deletes a snapshot',
    may: ['Worker'],
    do: ({ s3, place }) => s3.send(new DeleteObjectCommand({ Bucket: place.bucket, Key: snapshotKey })),
  },
  {
    what: 'writes a new part of a change set',
    // The worker writes those of increments.
    may: ['Worker', 'Compare'],
    do: ({ s3, place }) =>
      put(s3, { Bucket: place.bucket, Key: `${setKey}.${Date.now()}.ndjson.gz`, IfNoneMatch: '*' }),
  },
  {
    what: 'publishes a change set',
    may: ['Publisher'],
    do: ({ s3, place }) => put(s3, { Bucket: place.bucket, Key: 'changes/Nobody/latest.json' }),
  },
  {
    what: 'reads a change set',
    may: ['SyncApi', 'Worker', 'Publisher', 'Compare'],
    do: ({ s3, place }) => s3.send(new GetObjectCommand({ Bucket: place.bucket, Key: setKey })),
  },
  {
    what: 'deletes a change set',
    may: ['Compare'],
    do: ({ s3, place }) => s3.send(new DeleteObjectCommand({ Bucket: place.bucket, Key: setKey })),
  },
  {
    what: 'writes a table',
    may: ['Tables'],
    do: ({ s3, place }) => put(s3, { Bucket: place.bucket, Key: tableKey }),
  },
  {
    what: 'reads a table',
    may: ['SyncApi', 'Tables'],
    do: ({ s3, place }) => s3.send(new GetObjectCommand({ Bucket: place.bucket, Key: tableKey })),
  },
  {
    what: 'writes elsewhere in the bucket',
    may: [],
    do: ({ s3, place }) => put(s3, { Bucket: place.bucket, Key: 'elsewhere' }),
  },
  {
    what: 'starts a sync',
    may: ['SyncApi'],
    do: ({ sfn, place }) =>
      sfn.send(
        new StartExecutionCommand({ stateMachineArn: place.stateMachineArn, input: '{"entity":"-"}' }),
      ),
  },
  {
    what: 'sends an event',
    may: ['Worker', 'Compare', 'Tables', 'Freshness'],
    do: ({ events }) =>
      events.send(
        new PutEventsCommand({ Entries: [{ Source: 'stolen', DetailType: 'stolen', Detail: '{}' }] }),
      ),
  },
]

/** What is possible with the stolen credentials of a function's role. */
export const stolenRoleChecks: Check[] = roles.map((role) => ({
  name: `the stolen role of ${role} can neither call the API nor do the work of another function`,
  async run(context: CheckContext) {
    const credentials = await steal(context, role)
    await refusedEverywhere(context, (call) => context.callApi({ ...call, as: credentials }))
    for (const key of [snapshotKey, setKey, tableKey])
      await writeObject(context, key, Buffer.from('to be read'))
    const thief = createThief(context, credentials)
    const refused: string[] = []
    for (const deed of deeds) if (await isRefused(deed.do(thief))) refused.push(deed.what)
    thief.leave()
    const expected = deeds.filter(({ may }) => !may.includes(role)).map(({ what }) => what)
    assert.deepEqual(refused, expected)
  },
}))

/** From the environment of a process of the function. */
async function steal(context: CheckContext, role: Role): Promise<Credentials> {
  const name = await functionOf(context, role)
  await wake[role](context)
  const [pid] = await childrenOf(context.emulator.pid, `ministack-lambda-${name}-`)
  assert.ok(pid, `${role} has no process`)
  const variables = await variablesOf(pid)
  const credentials = {
    accessKeyId: variables('AWS_ACCESS_KEY_ID'),
    secretAccessKey: variables('AWS_SECRET_ACCESS_KEY'),
    sessionToken: variables('AWS_SESSION_TOKEN'),
  }
  assert.match(credentials.accessKeyId, /^ASIA/)
  return credentials
}

async function invoke(context: CheckContext, role: Role, event: object): Promise<void> {
  await context.account.invoke(await functionOf(context, role), event)
}

type Thief = ReturnType<typeof createThief>

function createThief({ emulator, deployment }: CheckContext, credentials: Credentials) {
  const client = { endpoint: emulator.url, region, credentials }
  const clients = {
    secrets: new SecretsManagerClient(client),
    table: new DynamoDBClient(client),
    s3: new S3Client(client),
    sfn: new SFNClient(client),
    events: new EventBridgeClient(client),
  }
  const leave = () => {
    for (const each of Object.values(clients)) each.destroy()
  }
  return { ...clients, place: deployment, leave }
}

async function isRefused(deed: Promise<unknown>): Promise<boolean> {
  try {
    await deed
    return false
  } catch (error) {
    const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } }
    if (name.startsWith('AccessDenied')) return true
    throw new Error(`neither allowed nor refused: ${name} ${$metadata?.httpStatusCode}`, { cause: error })
  }
}
