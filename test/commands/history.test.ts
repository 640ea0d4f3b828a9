import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { publishChain } from '../integration/change-set-fixture.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
let run: string
/** A document of CL, as it is stored, and its id. */
let line: string
let id: string

const next = { runId: '29990101T000000000Z-000000000001', n: '{"n":12345678901234567890.10,"id":"' }
const changed = () => `${next.n}${id}"}`

beforeAll(async () => {
  world = await startCliWorld()
  await world.world.sync('CL')
  const { latest, lines, manifest } = await world.snapshot('CL')
  // The clock of the command line follows a header that is exact to the second, so it may be a second behind.
  const reached = Date.parse(manifest.openedAt) + 1000
  await vi.waitUntil(() => Date.now() > reached, 30_000)
  run = latest.runId
  line = lines[17] ?? ''
  id = JSON.parse(line).id
  await publishChain(world.stores, 'CL', [
    {
      runId: next.runId,
      base: run,
      records: [`{"op":"u","id":"${id}","before":${line},"after":${changed()}}`],
      counts: { created: 0, updated: 1, deleted: 0 },
      state: new Map(),
    },
  ])
})
afterAll(() => world.close())

describe('history', () => {
  it('lists the versions, newest first, with the fields that changed', async () => {
    const { code, stdout } = await world.longshore(`history CL ${id}`)
    expect(code).toBe(0)
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(/^AS OF \(UTC\) +CHANGE +SOURCE +RUN$/)
    expect(lines[1]).toBe(`2999-01-01 00:00:00  updated  change-set  ${next.runId}`)
    expect(lines).toContain('  n: (none) → 12345678901234567890.10')
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}email: "client17@example\.com" → \(none\)$/))
    expect(lines.at(-2)).toMatch(new RegExp(`present +snapshot +${run}$`))
  })

  it('exits with 1 for a document that does not exist', async () => {
    const missing = await world.longshore('history CL nobody')
    expect(missing).toMatchObject({ code: 1, stdout: '' })
    expect(missing.stderr).toContain('No kept snapshot or change set of CL contains the document nobody.')
    expect(await world.longshore('history CL nobody --at 0d')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('CL had no document nobody at ') as string,
    })
    const { code, stdout } = await world.longshore('history CL nobody --at 0d --json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ state: 'absent', document: null, runId: run })
  })
})
