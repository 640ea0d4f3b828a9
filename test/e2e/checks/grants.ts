import assert from 'node:assert/strict'
import type { Check } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { functionOf, grantsOf } from '../grants.ts'
import { forgetAlerts, look } from '../look.ts'
import { removeObject, writeObject } from '../snapshot-proof.ts'
import {
  patchAgainAfterNothingWasDone,
  patchOnce,
  readDock,
  showChanges,
  showSnapshot,
  startAndCancel,
} from './grants/calls.ts'
import { compare, expiredPart, leftOver, publish, publishIncrement } from './grants/publications.ts'
import { makeTables } from './grants/tables.ts'
import { tableOf } from './problems/stored.ts'

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
  Publisher: async (context) => {
    await publish(context)
    await compare(context)
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
    // A problem that opens is published: the data of an entity that is not configured.
    await account.deleteItem(deployment.table, { pk: 'freshness', sk: 'problems' })
    await writeObject(context, orphan, Buffer.from('orphaned'))
    // Each receiver is told what is open.
    await forgetAlerts(context)
    await tableOf(context).put({ ...stoppedWaiting, until: 1 })
    const sent = messagesOf(context)
    try {
      await look(context)
    } finally {
      await removeObject(context, orphan)
    }
    for (const [index, messages] of messagesOf(context).entries())
      assert.ok(messages > (sent[index] ?? 0), `no message for receiver ${index}`)
    const stored = await account.scan(deployment.table)
    assert.ok(!stored.some(({ sk }) => sk?.S === stoppedWaiting.sk), 'a run that stopped waiting is removed')
    // Nor does a look fail that could not tell subscribers or the topic.
    const failures = stored.find(({ sk }) => sk?.S === 'alert-failures')
    assert.deepEqual(failures?.['failures']?.L ?? [], [], 'a message was not sent')
  },
  OpenApi: async ({ callApi }) => {
    assert.equal((await callApi({ path: '/openapi.json' })).status, 200)
  },
}

const messagesOf = ({ receivers }: CheckContext) =>
  Object.values(receivers).map(({ messages }) => messages.length)

const runId = '20200101T000000000Z-000000000000'
const stoppedWaiting = { pk: 'slots', sk: `waiting#syncs#${runId}`, runId }

const orphan = `snapshots/Orphaned/${runId}/page.ndjson.gz`

/** Actions that the emulator allows regardless of the role, or whose failure is only logged, by function. */
const notEnforced: readonly RegExp[] = [
  // The emulator writes the functions' logs itself.
  /^\w+ logs:(CreateLogStream|PutLogEvents) /,
  // Without it S3 returns 403 for a missing object; the emulator returns 404 either way.
  /^(?:SyncApi|Freshness) s3:ListBucket /,
  // Lambda uses it, when a function leaves a network.
  /^\w+ ec2:(?:Describe|Delete)NetworkInterfaces? /,
  // Without it a run that waits for a slot is not woken, and looks for one later.
  /^(?:Worker|SyncApi|Freshness) states:SendTaskSuccess /,
  // It is read, or written, only after a refusal or a failure.
  /^Freshness s3:GetObject .*\/(?:refused|failed)\.json/,
  /^Compare s3:PutObject .*\/changes\/\*\/(?:refused|unpublished)\.json/,
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
    if (notEnforced.some((pattern) => pattern.test(`${id} ${grant.action} ${grant.on}`))) continue
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

/** The lease of a worker that failed would block the next run for minutes. */
async function makeGood(context: CheckContext): Promise<void> {
  context.platform.faults.clear()
  // The platform allows ten scrolls at a time, those that a failed worker left open included.
  context.platform.expireTokens()
  // A run that could not be cancelled would continue to scroll.
  const { running } = (await context.callApi({ path: '/syncs/Granted' })).json
  if (running) await context.callApi({ method: 'DELETE', path: `/syncs/Granted/runs/${running.runId}` })
  await removeObject(context, leftOver)
  await removeObject(context, expiredPart)
  const { account, deployment } = context
  await account.freeEntity(deployment.table, 'Granted')
  for (const sk of ['syncs', 'scrolls']) await account.deleteItem(deployment.table, { pk: 'slots', sk })
}
