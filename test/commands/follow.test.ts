import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type FixtureSet, publishChain } from '../integration/change-set-fixture.ts'
import { type CliWorld, startCliWorld, until } from '../integration/cli-world.ts'

let world: CliWorld
const runs = [0, 1, 2, 3].map((n) => `2999010${n + 1}T000000000Z-00000000000${n}`)
const [base = '', first = '', second = '', third = ''] = runs
const record = (n: number) => `{"op":"c","id":"${n}","after":{"id":"${n}","n":1.10}}`
const sets = runs.slice(1).map(
  (runId, index): FixtureSet => ({
    runId,
    base: runs[index] ?? '',
    records: [record(index), record(index + 10)],
    counts: { created: 2, updated: 0, deleted: 0 },
    state: new Map(),
  }),
)
const publish = (count: number) => publishChain(world.stores, 'CL', sets.slice(0, count))
const printed = (...numbers: readonly number[]) => numbers.map((n) => `${record(n)}\n`).join('')
const file = () => join(world.folder, 'CL.position.json')
const stored = () => JSON.parse(readFileSync(file(), 'utf8')).runId

beforeEach(async () => {
  world = await startCliWorld()
})
afterEach(() => world.close())

/** Follows the change sets, and stops when this text was printed. */
async function followUntil(args: string, text: string, whileRunning = async () => {}) {
  const interrupt = new AbortController()
  const { stdout, stderr, ended } = world.begin(args, { signal: interrupt.signal })
  await until(stderr, 'Following CL after run')
  await whileRunning()
  await until(stdout, text)
  await vi.waitFor(() => expect(stored()).not.toBe(base), 20_000)
  interrupt.abort()
  return ended
}

describe('changes --follow', () => {
  it('prints the records of each set when it is published, and continues from its file', async () => {
    await publish(1)
    const followed = await followUntil(`changes CL --follow --since ${base}`, record(11), () => publish(2))
    expect(followed).toMatchObject({ code: 130, stdout: printed(0, 10, 1, 11) })
    expect(followed.stderr).toContain(`Stopped after run ${second}.`)
    expect(stored()).toBe(second)

    // --since counts only at the beginning.
    await publish(3)
    const again = await followUntil(`changes CL --follow --since ${base}`, record(12))
    expect(again).toMatchObject({ code: 130, stdout: printed(2, 12) })
    expect(stored()).toBe(third)
  })

  it('prints the same with --json, and an error that ends it as one line', async () => {
    await publish(1)
    const followed = await followUntil(`changes CL --follow --json --since ${base}`, record(11), () =>
      publish(2),
    )
    expect(followed).toMatchObject({ code: 130, stdout: printed(0, 10, 1, 11) })
    writeFileSync(
      file(),
      JSON.stringify({ version: 1, entity: 'CL', runId: '20000101T000000000Z-000000000000' }),
    )
    const { code, stdout } = await world.longshore('changes CL --follow --json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ error: expect.stringContaining('they expired') as string })
    expect(stdout.trimEnd()).not.toContain('\n')
  })

  it('runs a program once per set, and moves its position only after exit code 0', async () => {
    await publish(2)
    const program = join(world.folder, 'load.sh')
    const load = (exit: string) =>
      writeFileSync(
        program,
        `#!/bin/sh\ncat >> '${world.folder}/loaded'\necho end >> '${world.folder}/loaded'\n${exit}\n`,
      )
    const loaded = () => readFileSync(join(world.folder, 'loaded'), 'utf8')
    load(`[ "$(grep -c end '${world.folder}/loaded')" = 1 ]`)
    chmodSync(program, 0o755)
    const follow = `changes CL --follow --since ${base} --exec ./load.sh`
    const failed = await world.longshore(follow)
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toContain(`./load.sh ended with exit code 1 for the change set of run ${second}.`)
    expect(stored()).toBe(first)

    load('exit 0')
    const interrupt = new AbortController()
    const again = world.begin(follow, { signal: interrupt.signal })
    await vi.waitFor(() => expect(stored()).toBe(second), 20_000)
    interrupt.abort()
    expect((await again.ended).code).toBe(130)
    expect(loaded()).toBe(`${printed(0, 10)}end\n${printed(1, 11)}end\n${printed(1, 11)}end\n`)
  })

  it.each([
    ['moved it', () => writeFileSync(file(), JSON.stringify({ version: 1, entity: 'CL', runId: third }))],
    ['deleted the file', () => rmSync(file())],
  ])('ends if another program %s, and keeps what that has stored', async (found, change) => {
    await publish(1)
    const following = world.begin(`changes CL --follow --since ${base}`)
    await vi.waitFor(() => expect(stored()).toBe(first), 20_000)
    change()
    await publish(2)
    const { code, stderr } = await following.ended
    expect(code).toBe(1)
    expect(stderr).toContain(
      `was not moved to run ${second}, whose records were delivered: another program ${found}`,
    )
    expect(existsSync(file()) ? stored() : undefined).toBe(found === 'deleted the file' ? undefined : third)
  })
})
