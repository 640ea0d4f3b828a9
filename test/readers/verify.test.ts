import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { decideProof } from '../../functions/publisher/check/proof.ts'
import { DamagedWorld } from '../commands/verify/damaged-world.ts'
import { damages } from '../commands/verify/damages.ts'
import { storeIntactWorld } from '../commands/verify/intact-world.ts'
import { copyBucket } from '../copy-of-bucket.ts'
import { pythonTools } from '../python-tools.ts'
import { isIntact, simulate } from '../simulation/simulate.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { programs } from './docs-examples.ts'

const verifier = join(import.meta.dirname, '..', '..', 'examples', 'verify', 'verify.py')
const python = join(programs ?? '', 'python')
const vermin = await pythonTools('vermin', new URL('vermin-requirements.txt', import.meta.url))
const seeds = 12

/** Audits many folders in one process, since Python starts slowly. */
const audits = join(import.meta.dirname, 'audit_worlds.py')

/** Attempts that have ended, with what they are compared with. */
const attempts = fc.record({
  uniqueIds: fc.constant(100),
  total: fc.constantFrom(undefined, 98, 99, 100, 101, 108, 200),
  largestPage: fc.constantFrom(2, 10),
  suspect: fc.boolean(),
  end: fc.constantFrom('confirmed', 'refused', 'unconfirmed'),
  publishedIds: fc.constantFrom(null, 50, 101, 102, 109, 110),
  earlier: fc.array(fc.record({ uniqueIds: fc.constantFrom(98, 99, 100, 101), suspect: fc.boolean() })),
})

/** Values of Parquet files, what one object without a hash says alone, and a table that is gone contradict nothing. */
const invisible = new Set([16, 74, 79, 83, 84, 87, 91])
const visible = damages.filter(([row]) => !invisible.has(row))

describe.skipIf(!programs)('examples/verify/verify.py', () => {
  const folder = temporaryFolder()
  let copied = 0
  let found: Readonly<Record<string, readonly string[]>>
  const exitCode = (...args: string[]) => spawnSync(python, [verifier, ...args]).status
  beforeAll(async () => {
    const world = await storeIntactWorld()
    copyBucket(new DamagedWorld(world).stored.s3.objects, join(folder, 'intact'))
    for (const [row, , damage] of visible) {
      const damaged = new DamagedWorld(world)
      await damage(damaged)
      copyBucket(damaged.stored.s3.objects, join(folder, String(row)))
    }
    for (let seed = 1; seed <= seeds; seed++) {
      const result = await simulate(seed)
      if (!isIntact(result)) continue
      copyBucket(result.objects, join(folder, `seed ${seed}`))
      copied++
    }
    found = JSON.parse(spawnSync(python, ['-W', 'error', audits, folder]).stdout.toString())
  }, 240_000)

  it('finds nothing in an intact world', () => expect(found['intact']).toBeUndefined())

  it.each(visible)('finds row %i of the audit, %s', (row) => expect(found[row]?.length).toBeGreaterThan(0))

  it(`finds nothing in what ${seeds} seeds store`, () => {
    expect(copied).toBeGreaterThan(seeds / 2)
    expect(Object.keys(found).filter((name) => name.startsWith('seed'))).toEqual([])
  })

  it('exits with 0 without a fault, 1 with one, and 2 after a usage error', () => {
    const intact = join(folder, 'intact')
    expect(exitCode(intact)).toBe(0)
    expect(exitCode(intact, 'CL')).toBe(0)
    expect(exitCode(join(folder, '0'))).toBe(1)
    expect([exitCode(), exitCode(join(folder, 'none')), exitCode(intact, 'XX')]).toEqual([2, 2, 2])
  })

  it('decides a proof from the evidence as the publisher does', () => {
    const cases = fc.sample(attempts, 3_000)
    const decided = cases.map((one) => {
      const end = one.end === 'refused' && one.total !== undefined ? 'capped' : one.end
      const decision = decideProof({ ...one, end }, { ...one, tolerancePercent: 1 })
      return decision.kind === 'proven' ? decision.proof : null
    })
    const program = `import json, sys, verify
print(json.dumps([verify.proof_of(one, one.get("total"), {"totalTolerancePercent": 1}) for one in json.load(sys.stdin)]))`
    const options = { cwd: dirname(verifier), input: JSON.stringify(cases) }
    expect(JSON.parse(String(spawnSync(python, ['-B', '-c', program], options).stdout))).toEqual(decided)
    expect(new Set(decided)).toEqual(new Set([null, 'exact', 'within-tolerance', 'no-total']))
  })

  it.skipIf(!vermin)('needs nothing newer than Python 3.9', () => {
    const newer = join(folder, 'newer.py')
    writeFileSync(newer, 'from itertools import pairwise\n')
    const target = (file: string) => spawnSync(join(vermin ?? '', 'vermin'), ['--target=3.9-', file]).status
    expect([target(verifier), target(newer)]).toEqual([0, 1])
  })
})
