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

  it('prints the versions as JSON with the digits of their numbers', async () => {
    const { stdout } = await world.longshore(`history CL ${id} --json`)
    const { versions, ...rest } = JSON.parse(stdout)
    expect(rest).toEqual({ entity: 'CL', id })
    expect(versions[0]).toMatchObject({
      runId: next.runId,
      asOf: '2999-01-01T00:00:00.000Z',
      source: 'change-set',
      kind: 'updated',
    })
    expect(versions[0].changes).toContainEqual({
      name: 'n',
      before: null,
      after: '12345678901234567890.10',
    })
    expect(versions[1]).toMatchObject({ runId: run, source: 'snapshot', kind: 'present', changes: [] })
  })

  it('prints the document as of a time, byte for byte', async () => {
    const now = await world.longshore(`history CL ${id} --at 0d`)
    expect(now).toMatchObject({ code: 0, stdout: `${line}\n` })
    expect(now.stderr).toContain(`From run ${run}, which is as of `)
    expect((await world.longshore(`history CL ${id} --at 2999-01-01T00:00Z`)).stdout).toBe(`${changed()}\n`)
    const { stdout } = await world.longshore(`history CL ${id} --at 2999-01-01 --json`)
    expect(JSON.parse(stdout)).toEqual({
      entity: 'CL',
      id,
      at: '2999-01-01T23:59:59.999Z',
      state: 'present',
      runId: next.runId,
      asOf: '2999-01-01T00:00:00.000Z',
      document: changed(),
    })
  })

  it('names what is kept if the time is too long ago', async () => {
    const { code, stderr } = await world.longshore(`history CL ${id} --at 3d`)
    expect(code).toBe(1)
    expect(stderr).toMatch(/No snapshot or change set of CL shows the document .* The oldest is of 20/)
    expect(stderr).toContain(`history CL ${id} --config`)
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

  it('lists what is known of each document that ever had a value', async () => {
    const { email } = JSON.parse(line)
    const { code, stdout } = await world.longshore(`history CL --where email=${email}`)
    expect(code).toBe(0)
    const own = await world.longshore(`history CL ${id}`)
    expect(stdout).toBe(`${id}\n${own.stdout}`)
    const many = JSON.parse(
      (await world.longshore('history CL --where isNewsletterOptIn=true --json')).stdout,
    )
    expect([many.documents.length, many.isComplete]).toEqual([20, false])
    // Only the change set has this value.
    const recorded = JSON.parse(
      (await world.longshore('history CL --where n=12345678901234567890.10 --json')).stdout,
    )
    expect(recorded).toMatchObject({ entity: 'CL', documents: [{ id }], isComplete: true })
    const nobody = await world.longshore('history CL --where email=nobody')
    expect(nobody).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('contains a document with email=nobody.') as string,
    })
  })

  it('needs either an id or a value', async () => {
    for (const args of [
      'history CL',
      `history CL ${id} --where email=a`,
      'history CL --where email=a --at now',
    ])
      expect(await world.longshore(args)).toMatchObject({ code: 2 })
  })

  it('refuses a time that it cannot read, and an entity that is not configured', async () => {
    expect(await world.longshore(`history CL ${id} --at tomorrow`)).toMatchObject({ code: 2 })
    expect((await world.longshore(`history XX ${id}`)).stderr).toContain('The entity XX is not configured.')
    expect(await world.longshore('history CL')).toMatchObject({ code: 2 })
  })
})
