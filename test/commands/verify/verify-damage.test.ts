import { beforeAll, expect, it } from 'vitest'
import { verifyStored } from '../../../operator/verify/verify.ts'
import { DamagedWorld } from './damaged-world.ts'
import { damages } from './damages.ts'
import { type IntactWorld, storeIntactWorld } from './intact-world.ts'

let world: IntactWorld
beforeAll(async () => {
  world = await storeIntactWorld()
}, 120_000)

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
