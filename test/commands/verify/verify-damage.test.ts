import type { S3Client } from '@aws-sdk/client-s3'
import { beforeAll, expect, it } from 'vitest'
import { pointersOf } from '../../../functions/problems/pointers.ts'
import { readEntities as readFacts, withoutSchedules } from '../../../functions/problems/read-facts.ts'
import { readInventory } from '../../../operator/retention/inventory.ts'
import { retentionOf } from '../../../operator/retention/retention.ts'
import { verifyStored } from '../../../operator/verify/verify-stored.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { refusedKey } from '../../../stored/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { entityProblems } from '../../unit/problems/facts-of.ts'
import { DamagedWorld } from './damaged-world.ts'
import { damages } from './damages.ts'
import { copyWorld, type IntactWorld, storeIntactWorld } from './intact-world.ts'

let world: IntactWorld
beforeAll(async () => {
  world = await storeIntactWorld()
})

it('finds nothing in an intact world', async () => {
  expect(await verifyStored(new DamagedWorld(world).stored, false)).toMatchObject({
    documents: 70,
    otherSnapshots: 3,
    tableFiles: 1,
    mismatches: [],
  })
})

it.each(damages)('finds row %i of the audit, %s, and restores what it was', async (_row, _, damage) => {
  const damaged = new DamagedWorld(world)
  const key = await damage(damaged)
  const found = await verifyStored(damaged.stored, false)
  expect(found?.mismatches.map((mismatch) => mismatch.key)).toContain(key)
  expect(await verifyStored(damaged.stored, true)).toMatchObject({ mismatches: [] })
})

it('misses no records of a tip that erasure has taken out of the list', async () => {
  const damaged = new DamagedWorld(world)
  await damaged.remove(damaged.part(4), damaged.setKey(5), damaged.setKey(6))
  await damaged.put('tables/CL.changes/parts.txt', '')
  await damaged.editChain({ sets: [], tip: damaged.sets.at(4) })
  expect(await verifyStored(damaged.stored, false)).toMatchObject({ mismatches: [] })
})

it('misses no manifest of a run that 1.0.0 refused', async () => {
  const { stored, run } = new DamagedWorld(world)
  await stored.tables.deleteKeys([refusedKey('CL', run(3))])
  const readRuns = async (runIds: readonly string[]) =>
    (await stored.readRuns(runIds)).map(({ guarded: _guarded, ...run }) => run)
  expect(await verifyStored({ ...stored, readRuns }, false)).toMatchObject({ mismatches: [] })
})

it('retention has every object of an entity with columns, increments and refusals, and why it stays', async () => {
  const intact = copyWorld(world)
  const { settings, list } = intact
  if (!settings) throw new Error('CL is not configured.')
  const table = {
    read: async () => ({ items: [], rest: [] }),
    write: () => Promise.reject(new Error('Read only.')),
  }
  const stores = { ...storesOf(intact), list, table }
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
  const kindsOfRefused = ({ entries }: typeof inventory) => {
    const refused = entries.filter(({ owner }) => owner === 'refused snapshot')
    return new Set(refused.map(({ reasons }) => reasons.map(({ kind }) => kind).join()))
  }
  expect(kindsOfRefused(inventory)).toEqual(new Set(['']))
  expect(kindsOfRefused(await inventoryAfter(0))).toEqual(new Set(['refused']))
})

const storesOf = ({ bucket, s3, tables, readRuns }: DamagedWorld['stored']) => ({
  snapshots: createSnapshotStore(bucket, s3 as unknown as S3Client),
  changes: createChangeSetStore(bucket, s3 as unknown as S3Client),
  tables,
  readRuns: (runs: readonly { readonly runId: string }[]) => readRuns(runs.map(({ runId }) => runId)),
})

/** What a look at the damaged world finds. */
async function problemsOf({ stored }: DamagedWorld) {
  const entities = stored.settings ? [stored.settings] : []
  const { readRuns, ...others } = storesOf(stored)
  const readEntities = async () => (stored.recorded ? [{ latest: stored.recorded }] : [])
  const stores = { ...others, state: { readEntities, readRuns } }
  const look = {
    ...withoutSchedules,
    ...stores,
    settings: { entities, eraseWithinDays: undefined, credentials: {} },
    looks: { readWatched: async () => ({}) },
    checkPointers: pointersOf(stores),
    now: () => stored.now,
  }
  const { entities: read } = await readFacts(look, entities)
  return read.flatMap(entityProblems)
}

it('of an intact world the list of problems has no object to restore', async () => {
  expect((await problemsOf(new DamagedWorld(world))).map(({ kind }) => kind)).not.toContain('unreadable-data')
})

const followed = new Set([4, 5, 14, 15, 42, 43, 44, 45, 46, 51, 64, 65, 66])

it.each(damages.filter(([row]) => followed.has(row)))(
  'the list of problems has row %i, %s, which readers follow',
  async (_row, _, damage) => {
    const damaged = new DamagedWorld(world)
    await damage(damaged)
    expect(await problemsOf(damaged)).toContainEqual(
      expect.objectContaining({ kind: 'unreadable-data', level: 'problem', command: 'verify CL --repair' }),
    )
  },
)
