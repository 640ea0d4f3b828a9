import type { S3Client } from '@aws-sdk/client-s3'
import { beforeAll, expect, it } from 'vitest'
import { pointersOf } from '../../../functions/problems/pointers.ts'
import { readEntities, withoutSchedules } from '../../../functions/problems/read-facts.ts'
import { verifyStored } from '../../../operator/verify/verify-stored.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { entityProblems } from '../../unit/problems/facts-of.ts'
import { DamagedWorld } from './damaged-world.ts'
import { damages } from './damages.ts'
import { type IntactWorld, storeIntactWorld } from './intact-world.ts'

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

/** What a look at the damaged world finds. */
async function problemsOf({ stored }: DamagedWorld) {
  const client = stored.s3 as unknown as S3Client
  const entities = stored.settings ? [stored.settings] : []
  const stores = {
    state: {
      readEntities: async () => (stored.recorded ? [{ latest: stored.recorded }] : []),
      readRuns: (runs: readonly { readonly runId: string }[]) =>
        stored.readRuns(runs.map(({ runId }) => runId)),
    },
    snapshots: createSnapshotStore(stored.bucket, client),
    changes: createChangeSetStore(stored.bucket, client),
    tables: stored.tables,
  }
  const look = {
    ...withoutSchedules,
    ...stores,
    settings: { entities, eraseWithinDays: undefined, credentials: {} },
    looks: { readWatched: async () => ({}) },
    checkPointers: pointersOf(stores),
    now: () => stored.now,
  }
  const { entities: read } = await readEntities(look, entities)
  return read.flatMap(entityProblems)
}

it('of an intact world the list of problems has no object to restore', async () => {
  const kinds = (await problemsOf(new DamagedWorld(world))).map(({ kind }) => kind)
  expect(kinds).not.toContain('unreadable-data')
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
