import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DeleteItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { expect, vi } from 'vitest'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { awsClients } from '../../../operator/aws/clients.aws.ts'
import { createObjectVersionStore } from '../../../stored/object-versions.aws.ts'
import { drill } from '../drill.ts'
import { longshoreArgs } from '../page-commands.ts'
import { commandsOf, situation } from '../pages.ts'
import { expectContinued, expectReset, publish, type Recovering, setDocuments } from '../recovery.ts'
import type { LocalDrill, LocalOperator, LocalWorld } from './world.ts'
import { expectHealthy, succeeds, waiting } from './world.ts'

const argsOf = (title: string) => longshoreArgs(commandsOf(situation('recovery', title).text, {}))

type Item = Readonly<Record<string, { readonly [type: string]: unknown }>>

/** The items of the state table. */
async function itemsOf({ bundle }: Pick<LocalWorld, 'bundle'>): Promise<Item[]> {
  const table = awsClients.table()
  const { Items = [] } = await table.send(new ScanCommand({ TableName: bundle.instance.table }))
  table.destroy()
  return Items as unknown as Item[]
}

/** Replaces all items of the state table. */
async function replaceItems(world: Pick<LocalWorld, 'bundle'>, items: readonly Item[]): Promise<void> {
  const table = awsClients.table()
  const { table: TableName } = world.bundle.instance
  for (const { pk, sk } of await itemsOf(world))
    await table.send(new DeleteItemCommand({ TableName, Key: { pk, sk } as never }))
  for (const item of items) await table.send(new PutItemCommand({ TableName, Item: item as never }))
  table.destroy()
}

/** Deletes the objects below these prefixes, with all of their versions. */
async function deleteObjects({ bundle }: Pick<LocalWorld, 'bundle'>, prefixes: readonly string[]) {
  const versions = createObjectVersionStore(bundle.instance.bucket, awsClients.bucket())
  for (const prefix of prefixes)
    for await (const page of versions.listVersions(prefix)) await versions.deleteVersions(page)
}

/** As it would be read some minutes later: leases and slots have expired, idempotency keys have not. */
const aged = (items: readonly Item[]): Item[] =>
  items.map((item) => {
    const text = JSON.stringify(item)
    if (text.includes('"idempotency#')) return item
    return JSON.parse(
      text.replaceAll(/("(?:until|expiresAt)":\{"N":")\d+/g, (_, start: string) => `${start}1`),
    )
  })

const recoveringOf = ({ platform, longshore }: LocalWorld): Recovering => ({
  entity: 'CL',
  platform,
  async longshore(args) {
    const { code, stdout, stderr } = await longshore(args)
    if (code !== 0) throw new Error(`${args} ended with ${code}:\n${stdout}${stderr}`)
    return stdout
  },
})

/** The procedure that ends with a sync of every entity. */
async function syncAll(world: LocalWorld, { longshore }: LocalOperator, title: string): Promise<void> {
  const [args = ''] = argsOf(title).filter((each) => each.startsWith('sync --all'))
  await succeeds(longshore(args))
  for (const entity of ['CL', 'AD']) await published(world, entity)
  await succeeds(longshore('verify AD'))
}

const published = (world: LocalWorld, entity: string) =>
  vi.waitFor(async () => expect(await world.lastRun(entity)).toMatchObject({ status: 'published' }), waiting)

/** Pulls CL, as a program that follows the chain from here. */
async function pull({ folder, longshore }: LocalWorld): Promise<void> {
  for (const file of readdirSync(folder).filter((name) => name.startsWith('CL'))) rmSync(join(folder, file))
  await succeeds(longshore('pull CL'))
}

/** Updates a subscription with this key. Returns how often the platform has received it. */
async function patched({ platform, call }: LocalWorld, key: string): Promise<number> {
  platform.subscriptions.set('s1', { status: 'PAUSED' })
  const { status } = await call('/api/rns/subscriptions/s1', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ status: 'ACTIVE', note: key }),
  })
  expect(status).toBe(200)
  return platform.requests.filter(({ method, body }) => method === 'PATCH' && String(body).includes(key))
    .length
}

/** What is lost besides a single object. */
export const lossDrills: LocalDrill[] = [
  drill('recovery', 'The table is lost', async (world) => {
    const before = await publish(recoveringOf(world), 0)
    await pull(world)
    expect([await patched(world, 'k-lost'), await patched(world, 'k-lost')]).toEqual([1, 1])
    await succeeds(world.longshore('pause AD'))
    await replaceItems(world, [])
    setDocuments(recoveringOf(world), 1, 99)
    return async (operator) => {
      // The guards know the published snapshot from the bucket.
      const { code, stdout, stderr } = await operator.longshore('sync CL --watch')
      expect({ code, text: stdout + stderr }).toMatchObject({
        code: 1,
        text: expect.stringContaining('maxShrinkPercent') as string,
      })
      setDocuments(recoveringOf(world), 1)
      await syncAll(world, operator, 'The table is lost')
      await expectContinued(recoveringOf(world), before)
      // The table has forgotten what else the page lists.
      expect(await patched(world, 'k-lost')).toBe(2)
      const { entities } = JSON.parse((await succeeds(operator.longshore('status --json'))).stdout)
      expect(entities.map(({ pause }: { readonly pause: unknown }) => pause)).toEqual([null, null])
      await expectHealthy(operator)
    }
  }),
  drill('recovery', 'The table is restored to an earlier second', async (world) => {
    await publish(recoveringOf(world), 2)
    await pull(world)
    // A run is in progress at that second, and publishes later.
    const slow = world.platform.faults.add({
      match: onScroll({ entity: 'CL' }),
      fault: { kind: 'slow', beforeHeadersMs: 400 },
      times: Infinity,
    })
    await succeeds(world.longshore('sync CL'))
    await vi.waitFor(
      async () => expect(await world.lastRun('CL')).toMatchObject({ status: 'running' }),
      waiting,
    )
    const { runId } = await world.lastRun('CL')
    await patched(world, 'k-before')
    const earlier = await itemsOf(world)
    await patched(world, 'k-after')
    slow.remove()
    await published(world, 'CL')
    const before = await publish(recoveringOf(world), 3)
    await replaceItems(world, aged(earlier))
    setDocuments(recoveringOf(world), 4)
    return async (operator) => {
      await syncAll(world, operator, 'The table is restored to an earlier second')
      await expectContinued(recoveringOf(world), before)
      // Only what was written after that second is forgotten.
      expect([await patched(world, 'k-before'), await patched(world, 'k-after')]).toEqual([1, 2])
      // The run that was in progress is settled.
      const { runs } = JSON.parse((await succeeds(operator.longshore('runs CL --json'))).stdout)
      const settled = runs.find((run: { readonly runId: string }) => run.runId === runId)
      expect(['failed', 'published']).toContain(settled?.status)
      await expectHealthy(operator)
    }
  }),
  drill('recovery', 'Objects were deleted by mistake', async (world) => {
    const runId = await publish(recoveringOf(world), 5)
    await deleteObjects(world, [`snapshots/CL/${runId}/a1`])
    return async (operator) => {
      const [repair = '', sync = '', ...startAgain] = argsOf('Objects were deleted by mistake')
      // All versions are gone. On the emulator, a drill of the runbook restores one.
      expect((await operator.longshore(repair)).stdout).toContain('no older version is intact')
      await succeeds(operator.longshore(sync))
      // The base of the next set is gone too.
      expect(startAgain).toHaveLength(2)
      for (const args of startAgain) await succeeds(operator.longshore(args))
      await world.compared('CL')
      await succeeds(operator.longshore('verify CL'))
      await expectHealthy(operator)
    }
  }),
  drill('recovery', 'The bucket is deleted', async (world) => {
    const before = await publish(recoveringOf(world), 7)
    await pull(world)
    await deleteObjects(world, [''])
    return async (operator) => {
      await syncAll(world, operator, 'The bucket is deleted')
      await expectReset(recoveringOf(world), before)
      await expectHealthy(operator)
    }
  }),
  drill('recovery', ['Another region', 'with what was published before'], async (world) => {
    const before = await publish(recoveringOf(world), 10)
    await pull(world)
    // A new table, and of the bucket only what the page copies.
    const { text } = situation('recovery', 'Another region')
    const copied = [...text.matchAll(/aws s3 sync s3:\/\/<SnapshotBucketName>\/(\w+\/) /g)].map(
      ([, prefix]) => prefix,
    )
    expect(copied).toEqual(['snapshots/', 'changes/'])
    await replaceItems(world, [])
    await deleteObjects(world, ['tables/', 'iceberg/'])
    setDocuments(recoveringOf(world), 11)
    return async (operator) => {
      await syncAll(world, operator, 'Another region')
      await expectContinued(recoveringOf(world), before)
      await vi.waitFor(async () => succeeds(operator.longshore('table AD')), waiting)
      await expectHealthy(operator)
    }
  }),
]
