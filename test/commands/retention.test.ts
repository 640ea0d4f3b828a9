import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { retentionOf } from '../../operator/retention/retention.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

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
