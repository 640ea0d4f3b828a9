import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DamagedWorld } from '../commands/verify/damaged-world.ts'
import { damages } from '../commands/verify/damages.ts'
import { storeIntactWorld } from '../commands/verify/intact-world.ts'
import { copyBucket } from '../copy-of-bucket.ts'
import { isIntact, simulate } from '../simulation/simulate.ts'
import { programs } from './docs-examples.ts'

const verifier = join(import.meta.dirname, '..', '..', 'examples', 'verify', 'verify.py')
const python = join(programs ?? '', 'python')
const seeds = 12

/** Audits many folders in one process, since Python starts slowly. */
const audits = join(import.meta.dirname, 'audit_worlds.py')

/** Values of Parquet files, the time in latest.json, and a table that is gone altogether contradict nothing. */
const invisible = new Set([16, 74, 79])
const visible = damages.filter(([row]) => !invisible.has(row))

describe.skipIf(!programs)('examples/verify/verify.py', () => {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-verify-'))
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
  afterAll(() => rmSync(folder, { recursive: true }))

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
})
