import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { DeleteTableCommand, GetTableCommand, GlueClient, UpdateTableCommand } from '@aws-sdk/client-glue'
import { DescribeExecutionCommand } from '@aws-sdk/client-sfn'
import { changesLatestKey, changesTableKey } from '../../../functions/state/changes/changes.ts'
import { schemaReportKey } from '../../../functions/state/snapshots/manifest.ts'
import { type TableLatest, tableLatestKey } from '../../../functions/state/tables/table.ts'
import { onPatch, onScroll } from '../../../local/stand-in/faults.ts'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { region, rootCredentials } from '../emulator.ts'
import type { PublishedEvent } from '../events.ts'
import { executionEnd, killWorkers, startExecution } from '../executions.ts'
import { functionOf, grantsOf } from '../grants.ts'
import {
  assertWholeSnapshot,
  listKeys,
  readLatest,
  readObject,
  removeObject,
  sourceDocuments,
  writeObject,
} from '../snapshot-proof.ts'

/** Uses every grant of a function. Throws if anything fails. */
type Use = (context: CheckContext) => Promise<void>

const uses: Readonly<Record<string, Use>> = {
  Proxy: async (context) => {
    await readDock(context)
    await patchOnce(context)
    await patchAgainAfterNothingWasDone(context)
  },
  Worker: async (context) => {
    await publish(context)
    await publishIncrement(context)
  },
  Compare: compare,
  Tables: makeTables,
  SyncApi: async (context) => {
    await startAndCancel(context)
    for (const path of ['/syncs', '/syncs/Typed']) assert.equal((await context.callApi({ path })).status, 200)
    await showSnapshot(context)
    await showChanges(context)
  },
  Freshness: async (context) => {
    // Only the first check of the schedules is logged.
    const { account, deployment } = context
    await account.deleteItem(deployment.table, { pk: 'freshness', sk: 'watched' })
    const { error } = await account.invoke(await functionOf(context, 'Freshness'), {})
    assert.equal(error, undefined)
  },
  OpenApi: async ({ callApi }) => {
    assert.equal((await callApi({ path: '/openapi.json' })).status, 200)
  },
}

/** Actions that the emulator allows regardless of the role, by function. */
const notEnforced: readonly RegExp[] = [
  // The emulator writes the functions' logs itself.
  /^\w+ logs:(CreateLogStream|PutLogEvents)$/,
  // Without it S3 answers 403 for a missing object; the emulator answers 404 either way.
  /^SyncApi s3:ListBucket$/,
]

/** Least privilege: a function fails without any one of its grants. */
export const grantChecks: Check[] = [
  {
    name: 'every function has a check that uses its grants',
    async run({ account }) {
      const ids = (await account.listFunctions()).flatMap(({ id, stack }) =>
        stack.startsWith('Longshore') ? [id] : [],
      )
      assert.deepEqual(ids.toSorted(), Object.keys(uses).toSorted())
    },
  },
  ...Object.entries(uses).map(([id, use]) => ({
    name: `the function ${id} works with its role and fails without any one of its grants`,
    run: (context: CheckContext) => failsWithoutAnyGrant(context, id, use),
  })),
]

async function failsWithoutAnyGrant(context: CheckContext, id: string, use: Use): Promise<void> {
  const { account } = context
  const name = await functionOf(context, id)
  const attempt = async () => {
    // New processes, since a cached result may predate the revocation.
    await account.renewFunction(name)
    await use(context)
  }
  await attempt()
  const needless: string[] = []
  for (const grant of await grantsOf(account, await account.roleOf(name))) {
    if (notEnforced.some((pattern) => pattern.test(`${id} ${grant.action}`))) continue
    await grant.without(async () => {
      const fails = await attempt().then(
        () => false,
        () => true,
      )
      if (!fails) needless.push(grant.action)
    })
    await makeGood(context)
  }
  assert.deepEqual(needless, [], 'grants that are not needed')
  await attempt()
}

const dock = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'

async function readDock({ callApi }: CheckContext): Promise<void> {
  assert.equal((await callApi({ path: dock })).status, 200)
}

function patch({ callApi }: CheckContext, key: string) {
  return callApi({
    method: 'PATCH',
    path: '/api/rns/subscriptions/s1',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: '{"status":"ACTIVE"}',
  })
}

async function patchOnce(context: CheckContext): Promise<void> {
  const key = randomUUID()
  const responses = [await patch(context, key), await patch(context, key)]
  assert.deepEqual(
    responses.map(({ status, headers }) => [status, headers['idempotency-replayed']]),
    [
      [200, undefined],
      [200, 'true'],
    ],
  )
}

/** An idempotency key whose request had no effect is freed. */
async function patchAgainAfterNothingWasDone(context: CheckContext): Promise<void> {
  const key = randomUUID()
  const busy = { kind: 'status', status: 429, headers: { 'Retry-After': '120' } } as const
  const rule = context.platform.faults.add({ match: onPatch('s1'), fault: busy, times: Infinity })
  try {
    assert.equal((await patch(context, key)).status, 429)
  } finally {
    rule.remove()
  }
  assert.equal((await patch(context, key)).status, 200)
}

/** A run from its first page to its event by two workers, and the clean-up of older snapshots. */
async function publish(context: CheckContext): Promise<void> {
  await writeObject(context, leftOver, Buffer.from('left over'))
  const worker = await functionOf(context, 'Worker')
  const execution = { id: randomUUID(), startedAt: Date.now() }
  const event = { task: 'step', input: { entity: 'Granted' }, execution }
  await killDuring(context, context.account.invoke(worker, event))
  // The second worker reads what the first one stored.
  const { error, result: response } = await context.account.invoke(worker, event)
  const { status, runId } = response as { status: string; runId: string }
  assert.deepEqual({ error, status }, { error: undefined, status: 'published' })
  await assertWholeSnapshot(context, 'Granted', runId)
  const isEvent = ({ detail }: { detail: object }) => 'runId' in detail && detail.runId === runId
  await eventually('the event was received', async () => (await context.events()).find(isEvent), 2)
  const objects = await listKeys(context, 'snapshots/Granted/')
  assert.ok(!objects.includes(leftOver), 'the object of an abandoned attempt was deleted')
}

/** A table that is made, one that somebody changed in Glue, and one whose entity has no columns any more. */
async function makeTables(context: CheckContext): Promise<void> {
  const { account, cleanUp, emulator } = context
  const glue = new GlueClient({ endpoint: emulator.url, region, credentials: rootCredentials })
  cleanUp.add(() => glue.destroy())
  const tables = await functionOf(context, 'Tables')
  const make = async (entity: string) => {
    const { error } = await account.invoke(tables, { entity })
    assert.equal(error, undefined)
  }
  const latest = async () =>
    JSON.parse((await readObject(context, tableLatestKey('Typed'))).toString()) as TableLatest
  const isPublished = ({ 'detail-type': type }: PublishedEvent) => type === 'Table Published'
  const published = async () => (await context.events()).filter(isPublished).length

  const run = await readLatest(context, 'Typed')
  if (!run) await executionEnd(context, await startExecution(context, { entity: 'Typed' }))
  const { runId } = run ?? (await latest())
  const before = await published()
  await removeObject(context, tableLatestKey('Typed'))
  await removeObject(context, schemaReportKey('Typed', runId))
  await glue.send(new DeleteTableCommand(typedTable)).catch(() => undefined)
  await make('Typed')
  assert.deepEqual((await latest()).glue, { state: 'current' })
  assert.ok((await listKeys(context, 'snapshots/Typed/')).includes(schemaReportKey('Typed', runId)))
  await eventually('the event of the table', async () => (await published()) > before || undefined, 2)

  const { Table } = await glue.send(new GetTableCommand(typedTable))
  const Parameters = { ...Table?.Parameters, metadata_location: 's3://elsewhere/metadata.json' }
  const TableInput = { Name: typedTable.Name, StorageDescriptor: Table?.StorageDescriptor, Parameters }
  await glue.send(new UpdateTableCommand({ DatabaseName: typedTable.DatabaseName, TableInput }))
  await make('Typed')
  assert.deepEqual((await latest()).glue, { state: 'current' })

  await writeObject(context, 'iceberg/Granted/data/left-over.parquet', Buffer.from('left over'))
  await make('Granted')
  assert.deepEqual(await listKeys(context, 'iceberg/Granted/'), [])
}

const typedTable = { DatabaseName: 'longshore_snapshots_tables', Name: 'typed' }

/** Kills the worker at the end of its scroll, before the platform has moved the cursor. */
async function killDuring(context: CheckContext, step: Promise<unknown>): Promise<void> {
  const { promise: isAtTheEnd, resolve: onStrike } = Promise.withResolvers<void>()
  const match = onScroll({ entity: 'Granted', page: 2 })
  context.platform.faults.add({ match, fault: { kind: 'hang', effect: 'before' }, onStrike })
  await Promise.race([isAtTheEnd, step])
  await killWorkers(context)
  await step
}

/** A change set up to its event, the list for Athena and the clean-up of expired sets. */
async function compare(context: CheckContext): Promise<void> {
  const { account } = context
  const published = await account.invoke(await functionOf(context, 'Worker'), { entity: 'Granted' })
  const { runId } = published.result as { runId: string }
  await writeObject(context, expiredPart, Buffer.from('expired'))
  await removeObject(context, partList)
  const { error, result: response } = await account.invoke(await functionOf(context, 'Compare'), {
    entity: 'Granted',
  })
  const { status } = response as { status: string }
  assert.deepEqual({ error, status }, { error: undefined, status: 'published' })
  const isEvent = (event: PublishedEvent) =>
    event['detail-type'] === 'Changes Published' && event.detail['runId'] === runId
  await eventually('the event was received', async () => (await context.events()).find(isEvent), 2)
  assert.ok(
    !(await listKeys(context, 'changes/Granted/')).includes(expiredPart),
    'the expired part was deleted',
  )
  assert.deepEqual(await listKeys(context, partList), [partList])
}

/** A document changes, and an increment publishes it on top of the last change set. */
async function publishIncrement(context: CheckContext): Promise<void> {
  const { account, platform } = context
  if ((await listKeys(context, changesLatestKey('Granted'))).length === 0)
    await account.invoke(await functionOf(context, 'Compare'), { entity: 'Granted' })
  const [first = Buffer.alloc(0), ...rest] = sourceDocuments(context, 'Granted')
  // The platform's clock has whole seconds: a window ends before what changes in the current one.
  const edit = { updatedIn: new Date(Date.now() - 2_000).toISOString(), edit: randomUUID() }
  platform.documents.set('Granted', [
    Buffer.from(JSON.stringify({ ...JSON.parse(first.toString()), ...edit })),
    ...rest,
  ])
  const event = { entity: 'Granted', increment: true }
  const { error, result: response } = await account.invoke(await functionOf(context, 'Worker'), event)
  const { status, runId } = response as { status: string; runId: string }
  assert.deepEqual({ error, status }, { error: undefined, status: 'published' })
  const { tip } = JSON.parse((await readObject(context, changesLatestKey('Granted'))).toString())
  assert.equal(tip, runId)
  const isEvent = ({ detail }: { detail: object }) => 'runId' in detail && detail.runId === runId
  await eventually('the event was received', async () => (await context.events()).find(isEvent), 2)
}

const expiredPart = 'changes/Granted/20200101T000000000Z-000000000000/records-0.ndjson.gz'
const partList = changesTableKey('Granted')

/** An object of an abandoned attempt, which the next publication deletes. */
const leftOver = 'snapshots/Granted/20200101T000000000Z-000000000000/1/page.ndjson.gz'

async function startAndCancel(context: CheckContext): Promise<void> {
  const { callApi, platform, sfn, deployment } = context
  const silent = { kind: 'slow', beforeHeadersMs: 2_000 } as const
  platform.faults.add({ match: onScroll({ entity: 'Granted' }), fault: silent, times: Infinity })
  const started = await callApi({ method: 'POST', path: '/syncs/Granted' })
  assert.equal(started.status, 202, started.body.toString())
  const { runId } = started.json
  assert.equal((await callApi({ path: '/syncs/Granted' })).json.running?.runId, runId)
  // From then on the run has a slot, which is released with it.
  const path = `/syncs/Granted/runs/${runId}`
  await eventually('the run scrolls', async () => (await callApi({ path })).json.pages > 0 || undefined)
  const cancelled = await callApi({ method: 'DELETE', path })
  assert.equal(cancelled.status, 202, cancelled.body.toString())
  const machine = deployment.stateMachineArn.replace(':stateMachine:', ':execution:')
  const { status } = await sfn.send(new DescribeExecutionCommand({ executionArn: `${machine}:${runId}` }))
  assert.equal(status, 'ABORTED')
}

async function showSnapshot(context: CheckContext): Promise<void> {
  const { status, json } = await context.callApi({ path: '/syncs/Granted/snapshot' })
  assert.equal(status, 200)
  assert.equal((await fetch(json.pages[0].link)).status, 200)
}

async function showChanges(context: CheckContext): Promise<void> {
  const { status, json } = await context.callApi({ path: '/syncs/Granted/changes' })
  assert.equal(status, 200)
  assert.equal((await fetch(json.snapshot.pages[0].link)).status, 200)
}

/** The lease of a worker that failed would block the next run for minutes. */
async function makeGood(context: CheckContext): Promise<void> {
  context.platform.faults.clear()
  // The platform allows ten scrolls at a time, those that a failed worker left open included.
  context.platform.expireTokens()
  // A run that could not be cancelled would go on scrolling.
  const { running } = (await context.callApi({ path: '/syncs/Granted' })).json
  if (running) await context.callApi({ method: 'DELETE', path: `/syncs/Granted/runs/${running.runId}` })
  await removeObject(context, leftOver)
  await removeObject(context, expiredPart)
  const { account, deployment } = context
  await account.freeEntity(deployment.table, 'Granted')
  for (const sk of ['syncs', 'scrolls']) await account.deleteItem(deployment.table, { pk: 'slots', sk })
}
