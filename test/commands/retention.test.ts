import { ScanCommand } from '@aws-sdk/client-dynamodb'
import type { S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readInventory } from '../../operator/retention/inventory.ts'
import { retentionOf } from '../../operator/retention/retention.ts'
import { partsOver } from '../../stored/chain/state-parts.ts'
import { deliveredKeysOf } from '../../stored/changes/chain-facts.ts'
import { createChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'
import { copyWorld, storeIntactWorld } from './verify/intact-world.ts'

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
})
afterAll(() => world.close())

describe('retention', () => {
  it('counts the items of the state table, also as JSON for scripts', async () => {
    await world.longshore('sync CL --watch')
    const { stdout } = await world.longshore('retention CL --json')
    const { kept, ...rest } = JSON.parse(stdout)
    expect(rest).toEqual({ entity: 'CL', eraseWithinDays: null })
    const { table, dynamodb } = world.stores
    const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName: table }))
    const partitions = Items.map(({ pk }) => pk?.S ?? '')
    const counts = ['entity#CL', 'run#'].map((pk) => partitions.filter((one) => one.startsWith(pk)).length)
    const ofTable = kept.filter(({ where, count }: Kept) => where === 'the state table' && count !== null)
    expect(ofTable.map(({ count }: Kept) => count)).toEqual(counts)
  })

  it('shows what is kept, for how long and why', async () => {
    const { code, stdout } = await world.longshore('retention CL')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^CL: eraseWithinDays is not set/)
    expect(stdout).toMatch(/\n\nSnapshot \(snapshots\/CL\/, \d+\)\n {2}until a newer one is published/)
  })
})

type Kept = ReturnType<typeof retentionOf>[number]

it('retention has every object of an entity with columns, increments and refusals, and why it stays', async () => {
  const intact = copyWorld(await storeIntactWorld())
  const { settings, tables, list, readRuns } = intact
  if (!settings) throw new Error('CL is not configured.')
  const client = intact.s3 as unknown as S3Client
  const stores = {
    snapshots: createSnapshotStore(intact.bucket, client),
    changes: createChangeSetStore(intact.bucket, client),
    tables,
    list,
    table: {
      read: async () => ({ items: [], rest: [] }),
      write: () => Promise.reject(new Error('Read only.')),
    },
    readRuns: (runs: readonly { runId: string }[]) => readRuns(runs.map(({ runId }) => runId)),
  }
  const inventoryAfter = (days: number) =>
    readInventory({ ...stores, now: () => intact.now + days * 86_400_000 }, settings)
  // Young sets stay for their links too.
  const inventory = await inventoryAfter(40)
  const keys = [...intact.s3.objects.keys()].filter((key) => /^[a-z]+\/CL(?:\.changes)?\//.test(key))
  expect(inventory.entries.map(({ version }) => version.key).toSorted()).toEqual(keys.toSorted())
  const rows = retentionOf(settings, inventory, { eraseWithinDays: undefined, logRetentionDays: 30 })
  const counted = rows.filter(({ where, count }) => count !== null && where.includes('/CL/'))
  expect(counted.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(keys.length)
  expect(new Set(inventory.entries.map(({ owner }) => owner))).toEqual(
    new Set(['pointer', 'snapshot', 'refused snapshot', 'change set', 'increment', 'table']),
  )

  const reasons = new Map(inventory.entries.map((entry) => [entry.version.key, entry.reasons]))
  const kindsOf = (objects: readonly { readonly key: string }[]) =>
    new Set(objects.map(({ key }) => (reasons.get(key) ?? []).map(({ kind }) => kind).join(' ')))
  const latest = (await stores.snapshots.readLatest('CL'))?.value
  const published = await stores.snapshots.readManifest('CL', latest?.runId ?? '')
  expect(kindsOf(published?.pages ?? [])).toEqual(new Set(['published chain-snapshot']))
  const chain = (await stores.changes.readLatest('CL'))?.value
  const sets = await Promise.all(
    (chain?.sets ?? []).map(({ runId }) => stores.changes.readManifest('CL', runId)),
  )
  const needed = chain ? deliveredKeysOf(chain).map((key) => ({ key })) : []
  for (const set of sets) needed.push(...(set?.value.parts ?? []))
  const tip = sets.at(-1)?.value
  needed.push(...(tip ? partsOver(tip) : []))
  expect(needed.length).toBeGreaterThan(8)
  expect([...kindsOf(needed)].filter((kinds) => !/listed|tip/.test(kinds))).toEqual([])
  const kindsOfRefused = ({ entries }: typeof inventory) =>
    new Set(
      entries.flatMap((entry) =>
        entry.owner === 'refused snapshot' ? entry.reasons.map(({ kind }) => kind).join() : [],
      ),
    )
  expect(kindsOfRefused(inventory)).toEqual(new Set(['']))
  expect(kindsOfRefused(await inventoryAfter(0))).toEqual(new Set(['refused']))
  expect(kindsOf([{ key: (await tables.readLatest('CL'))?.value.metadata ?? '' }])).toEqual(
    new Set(['table']),
  )
})
