import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FixtureSet, publishChain } from '../integration/change-set-fixture.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'
import { comparisonOn } from '../integration/embedded-stores.ts'

let world: CliWorld
/** The pulled snapshot, by id. */
let snapshot: Map<string, string>
let base: string
let sets: readonly [FixtureSet, FixtureSet]
let final: Map<string, string>
const file = () => join(world.folder, 'CL.ndjson')
const pulled = () => readFileSync(file(), 'utf8').trimEnd().split('\n')
const idOf = (line: string) => JSON.parse(line).id as string

beforeAll(async () => {
  world = await startCliWorld()
  await world.world.sync('CL')
  const { latest, lines } = await world.snapshot('CL')
  base = latest.runId
  snapshot = new Map(lines.map((line) => [idOf(line), line]))
  ;[sets, final] = makeSets(snapshot)
  await world.longshore('pull CL')
})
afterAll(() => world.close())

/** The first set creates, updates and deletes; the second one updates the same documents and withholds one. */
function makeSets(before: ReadonlyMap<string, string>): [[FixtureSet, FixtureSet], Map<string, string>] {
  const [[a, aText], [b, bText], [c, cText]] = [...before] as [
    [string, string],
    [string, string],
    [string, string],
  ]
  const created = '{"id":"new","n":12345678901234567890.10}'
  const updated = (id: string, n: number) => `{"n":${n},"id":${JSON.stringify(id)}}`
  const record = (op: string, id: string, documents: object) => {
    const parts = Object.entries(documents).map(([name, text]) => `,"${name}":${text}`)
    return `{"op":"${op}","id":${JSON.stringify(id)}${parts.join('')}}`
  }
  const one = new Map(before).set(a, updated(a, 1)).set('new', created)
  one.delete(b)
  const first: FixtureSet = {
    runId: '29990101T000000000Z-000000000001',
    base,
    records: [
      record('u', a, { before: aText, after: updated(a, 1) }),
      record('d', b, { before: bText }),
      record('c', 'new', { after: created }),
    ],
    counts: { created: 1, updated: 1, deleted: 1 },
    state: one,
  }
  const two = new Map(one).set(a, updated(a, 2)).set('withheld', '{"id":"withheld"}')
  const second: FixtureSet = {
    runId: '29990102T000000000Z-000000000002',
    base: first.runId,
    records: [record('u', a, { before: updated(a, 1), after: updated(a, 2) })],
    counts: { created: 0, updated: 1, deleted: 0 },
    withheld: ['{"id":"withheld"}', cText],
    state: two,
  }
  expect(two.get(c)).toBe(cText)
  return [[first, second], two]
}

describe('changes', () => {
  it('suggests what to do if the entity has no change sets', async () => {
    expect(await world.longshore('changes CL')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CL has no change sets') as string,
    })
  })

  it('says that the first comparison failed, why and what to do, and so do status and the update of a file', async () => {
    const reason = 'The comparison stopped (Sandbox.Timedout).'
    const failed = { kind: 'failed', base: null, cause: 'other', reason, count: 1 } as const
    const { changes } = comparisonOn(world.stores, Date.now)
    await changes.writeUnpublished('CL', { ...failed, runId: base, since: '2026-01-01T00:00:00Z' })
    const why = /is published without a change set.*Sandbox\.Timedout.*longshore.*sync CL --watch/s
    for (const command of ['changes CL', 'changes CL --follow', 'changes CL --reset']) {
      const { code, stderr } = await world.longshore(command)
      expect([command, code, stderr]).toEqual([command, 1, expect.stringMatching(why)])
    }
    const updated = await world.longshore('pull CL --update')
    expect([updated.code, updated.stdout]).toEqual([1, expect.stringMatching(why)])
    const status = await world.longshore('status --check')
    expect([status.code, status.stdout]).toEqual([1, expect.stringMatching(why)])
  })

  it('lists the change sets with their counts', async () => {
    await publishChain(world.stores, 'CL', sets)
    const { code, stdout } = await world.longshore('changes CL')
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`${sets[0].runId} +1 +1 +1\\n${sets[1].runId} +0 +1 +0\\n`))
    expect(stdout).toContain(`From run ${base} to run ${sets[1].runId}: 1 created, 2 updated, 1 deleted.`)
  })

  it('downloads the records of all sets in order, byte for byte', async () => {
    expect(await world.longshore(`changes CL --since ${base} -o c.ndjson`)).toMatchObject({
      code: 0,
      stdout:
        `Wrote 4 records to ${join(world.folder, 'c.ndjson')}: 1 created, 2 updated, 1 deleted, ` +
        `from run ${base} to run ${sets[1].runId}.\n`,
    })
    const records = readFileSync(join(world.folder, 'c.ndjson'), 'utf8')
    expect(records).toBe([...sets[0].records, ...sets[1].records].map((line) => `${line}\n`).join(''))
    expect(await world.longshore(`changes CL -o c.ndjson`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists') as string,
    })
    const forced = await world.longshore(`changes CL --since ${sets[0].runId} -o c.ndjson --force --json`)
    expect(forced.code).toBe(0)
    expect(JSON.parse(forced.stdout)).toMatchObject({ file: join(world.folder, 'c.ndjson'), updated: 1 })
    expect(readFileSync(join(world.folder, 'c.ndjson'), 'utf8')).toBe(`${sets[1].records[0]}\n`)
  })
})

it('pull --update brings a pulled file to the state at the tip, and keeps the bytes and places of its documents', async () => {
  const { code, stdout } = await world.longshore('pull CL --update --json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    runId: sets[1].runId,
    since: base,
    sets: 2,
    created: 1,
    updated: 2,
    deleted: 1,
    documents: final.size,
  })
  expect(pulled()).toEqual([...final.values()])
})

it('pull --run downloads an older snapshot', async () => {
  await world.world.sync('CL')
  const { latest } = await world.snapshot('CL')
  expect(latest.runId).not.toBe(base)
  const { code, stdout } = await world.longshore(`pull CL --run ${base} --force --json`)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ runId: base, documents: 95 })
})
