import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'
import { onSearch } from '../stand-in-faults.ts'

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
  await world.longshore('credentials set --no-sync', JSON.stringify(localCredentials))
})
afterEach(() => world.platform.faults.clear())
afterAll(() => world.close())

describe('partitions', () => {
  it('proposes ranges, their sizes and times from the totals alone, and changes nothing', async () => {
    world.platform.requests.splice(0)
    const { code, stdout, stderr } = await world.longshore('partitions CL --count 4')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toContain('CL has 95 documents, in 5 ranges of createdIn:')
    expect(stdout).toMatch(/^2\d +\d\d% +\(createdIn < \S+ OR createdIn = \S+\)$/m)
    expect(stdout).toMatch(/^0 +0% +\(createdIn is null\)$/m)
    expect(stdout).toMatch(/^1 +about \d+ s +1\.0x\n2 +about .*\n4 +about .*\n8 +about /m)
    expect(stdout).toContain("partitions: { by: 'createdIn', count: 4 }")
    expect(stdout).toContain('as for a search')
    const assumed = await world.longshore('partitions CL --count 4 --json')
    expect(JSON.parse(assumed.stdout)).toMatchObject({
      pace: { basis: { kind: 'searches' }, documentsPerPage: 10 },
      maxConcurrentScrolls: 8,
    })
    expect(new Set(world.platform.requests.map(({ kind }) => kind))).toEqual(new Set(['search']))
  })

  it('estimates from the last published run, and counts 8 ranges by default', async () => {
    expect(await world.longshore('sync CL --watch')).toMatchObject({ code: 0 })
    const { code, stdout } = await world.longshore('partitions CL --json')
    expect(code).toBe(0)
    const { latest } = await world.snapshot('CL')
    const proposal = JSON.parse(stdout)
    expect(proposal).toMatchObject({
      entity: 'CL',
      by: 'createdIn',
      count: 8,
      documents: 95,
      pace: { basis: { kind: 'run', runId: latest.runId } },
      estimates: [{ scrolls: 1 }, { scrolls: 2 }, { scrolls: 4 }, { scrolls: 8 }],
    })
    expect(proposal.ranges).toHaveLength(9)
    expect(proposal.searches).toBeGreaterThan(9)
  })

  it.each([
    ['ignores', 'ignore-filter', 'The platform seems to ignore the filter'],
    ['refuses', 'refuse-filter', 'the field may not be searchable'],
  ] as const)('explains why ranges cannot be used if the platform %s the filter', async (_, kind, reason) => {
    world.platform.faults.add({ match: onSearch(), times: Number.POSITIVE_INFINITY, fault: { kind } })
    expect(await world.longshore('partitions AD')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(reason) as string,
    })
  })

  it.each([
    ['--count 11', '--count: 11 is not a whole number from 2 to 10'],
    ['--count few', '--count: '],
    ['--by updatedIn', '--by: '],
  ])('%s exits with 2 and the reason', async (flags, reason) => {
    expect(await world.longshore(`partitions CL ${flags}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(reason) as string,
    })
  })
})
