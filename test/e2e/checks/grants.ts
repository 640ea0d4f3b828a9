import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { DescribeExecutionCommand } from '@aws-sdk/client-sfn'
import { onPatch, onScroll } from '../../../local/platform/faults.ts'
import { type Check, eventually } from '../check.ts'
import { functionOf, grantsOf } from '../grants.ts'
import { assertWholeSnapshot, listKeys, removeObject, writeObject } from '../snapshot-proof.ts'
import type { World } from '../world.ts'

/** Everything that a function does with its grants. Throws if any of it goes wrong. */
type Use = (world: World) => Promise<void>

const uses: Readonly<Record<string, Use>> = {
  Proxy: async (world) => {
    await readDock(world)
    await patchOnce(world)
    await patchAgainAfterNothingWasDone(world)
  },
  Worker: publish,
  SyncApi: async (world) => {
    await startAndCancel(world)
    await showSnapshot(world)
  },
  Freshness: async (world) => {
    // The first look at the schedules is the one that is written down.
    const { account, deployment } = world
    await account.deleteItem(deployment.table, { pk: 'freshness', sk: 'watched' })
    const { error } = await account.invoke(await functionOf(world, 'Freshness'), {})
    assert.equal(error, undefined)
  },
  Description: async ({ callApi }) => {
    assert.equal((await callApi({ path: '/openapi.json' })).status, 200)
  },
}

/** What the emulator grants whatever a role says, by function and action. */
const notEnforced: readonly RegExp[] = [
  // It writes the functions' logs itself.
  /^\w+ logs:(CreateLogStream|PutLogEvents)$/,
  // Without it S3 answers 403 for an object that is not there, the emulator 404 all the same.
  /^SyncApi s3:ListBucket$/,
]

/** No function may do more than it needs: whatever it is granted, it fails without. */
export const grantChecks: Check[] = [
  {
    name: 'the use of every function is known',
    async run({ account }) {
      const ids = (await account.listFunctions()).flatMap(({ id, stack }) =>
        stack.startsWith('Longshore') ? [id] : [],
      )
      assert.deepEqual(ids.toSorted(), Object.keys(uses).toSorted())
    },
  },
  ...Object.entries(uses).map(([id, use]) => ({
    name: `the function ${id} works with its role, and fails without any one of the role’s grants`,
    run: (world: World) => failsWithoutAnyGrant(world, id, use),
  })),
]

async function failsWithoutAnyGrant(world: World, id: string, use: Use): Promise<void> {
  const { account } = world
  const name = await functionOf(world, id)
  const attempt = async () => {
    // What a process has cached, it has from before the grant was taken away.
    await account.renewFunction(name)
    await use(world)
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
    await makeGood(world)
  }
  assert.deepEqual(needless, [], 'grants without which everything works')
  await attempt()
}

const dock = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'

async function readDock({ callApi }: World): Promise<void> {
  assert.equal((await callApi({ path: dock })).status, 200)
}

function patch({ callApi }: World, key: string) {
  return callApi({
    method: 'PATCH',
    path: '/api/rns/subscriptions/s1',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: '{"status":"ACTIVE"}',
  })
}

async function patchOnce(world: World): Promise<void> {
  const key = randomUUID()
  const answers = [await patch(world, key), await patch(world, key)]
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['idempotency-replayed']]),
    [
      [200, undefined],
      [200, 'true'],
    ],
  )
}

/** A key whose request did nothing is free again. */
async function patchAgainAfterNothingWasDone(world: World): Promise<void> {
  const key = randomUUID()
  const busy = { kind: 'status', status: 429, headers: { 'Retry-After': '120' } } as const
  const rule = world.platform.faults.add({ match: onPatch('s1'), fault: busy, times: Infinity })
  try {
    assert.equal((await patch(world, key)).status, 429)
  } finally {
    rule.remove()
  }
  assert.equal((await patch(world, key)).status, 200)
}

/** A run from its first page to its event, and the clean-up of older ones. */
async function publish(world: World): Promise<void> {
  await writeObject(world, leftOver, Buffer.from('left over'))
  const { error, answer } = await world.account.invoke(await functionOf(world, 'Worker'), {
    entity: 'Granted',
  })
  const { status, runId } = answer as { status: string; runId: string }
  assert.deepEqual({ error, status }, { error: undefined, status: 'published' })
  await assertWholeSnapshot(world, 'Granted', runId)
  const isEvent = ({ detail }: { detail: object }) => 'runId' in detail && detail.runId === runId
  await eventually('its event has come', async () => (await world.events()).find(isEvent), 2)
  const objects = await listKeys(world, 'snapshots/Granted/')
  assert.ok(!objects.includes(leftOver), 'what an attempt left behind is still there')
}

/** An object of an attempt that was given up, which the next publication deletes. */
const leftOver = 'snapshots/Granted/20200101T000000000Z-000000000000/1/page.ndjson.gz'

async function startAndCancel(world: World): Promise<void> {
  const { callApi, platform, sfn, deployment } = world
  const silent = { kind: 'slow', beforeHeadersMs: 2_000 } as const
  platform.faults.add({ match: onScroll({ entity: 'Granted' }), fault: silent, times: Infinity })
  const asked = () => platform.requests.filter(({ name }) => name === 'Granted').length
  const before = asked()
  const started = await callApi({ method: 'POST', path: '/syncs/Granted' })
  assert.equal(started.status, 202, started.body.toString())
  const { runId } = started.json
  assert.equal((await callApi({ path: '/syncs/Granted' })).json.running?.runId, runId)
  // From then on the run has a place among the concurrent syncs, which is freed with it.
  await eventually('it scrolls', async () => asked() > before || undefined)
  const cancelled = await callApi({ method: 'DELETE', path: `/syncs/Granted/runs/${runId}` })
  assert.equal(cancelled.status, 202, cancelled.body.toString())
  const machine = deployment.stateMachineArn.replace(':stateMachine:', ':execution:')
  const { status } = await sfn.send(new DescribeExecutionCommand({ executionArn: `${machine}:${runId}` }))
  assert.equal(status, 'ABORTED')
}

async function showSnapshot(world: World): Promise<void> {
  const { status, json } = await world.callApi({ path: '/syncs/Granted/snapshot' })
  assert.equal(status, 200)
  assert.equal((await fetch(json.pages[0].link)).status, 200)
}

/** What a function that failed in the middle leaves behind would stand in the way for minutes. */
async function makeGood(world: World): Promise<void> {
  world.platform.faults.clear()
  await removeObject(world, leftOver)
  const { account, deployment } = world
  await account.freeEntity(deployment.table, 'Granted')
  for (let slot = 1; slot <= 5; slot++) {
    await account.deleteItem(deployment.table, { pk: 'slots', sk: `slot#00${slot}` })
  }
}
