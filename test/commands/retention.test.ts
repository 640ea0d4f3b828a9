import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
})
afterAll(() => world.close())

describe('retention', () => {
  it('shows what is kept, for how long and why', async () => {
    const { code, stdout } = await world.longshore('retention CL')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^CL: eraseWithinDays is not set/)
    expect(stdout).toContain(
      'Change sets (changes/CL/)\n  30 days, then one more day for issued links\n  Reason: changes.keepDays: 30\n',
    )
  })

  it('can be read by a script', async () => {
    const { stdout } = await world.longshore('retention CL --json')
    expect(JSON.parse(stdout)).toMatchObject({
      entity: 'CL',
      eraseWithinDays: null,
      kept: expect.arrayContaining([expect.objectContaining({ what: 'Published snapshot' })]),
    })
  })

  it('names the configured entities if there is no such entity', async () => {
    const { code, stderr } = await world.longshore('retention CX')
    expect(code).toBe(1)
    expect(stderr).toContain('The entity CX is not configured.')
  })
})
