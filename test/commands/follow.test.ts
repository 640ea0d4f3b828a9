import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type FixtureSet, publishChain } from '../integration/change-set-fixture.ts'
import { type CliWorld, collect, startCliWorld, until } from '../integration/cli-world.ts'

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

  it('prints the records of increments, which are applied like created ones', async () => {
    const delivered = '{"op":"r","id":"1","after":{"id":"1","n":2}}'
    const increment = { runId: second, base: first, records: [delivered], state: new Map<string, string>() }
    await publish(1)
    const followed = await followUntil(`changes CL --follow --since ${base}`, delivered, () =>
      publishChain(world.stores, 'CL', [...sets.slice(0, 1), increment]),
    )
    expect(followed.stdout).toBe(`${printed(0, 10)}${delivered}\n`)
    expect(stored()).toBe(second)
  })

  it('prints the records of a set again if the program that reads them has exited', async () => {
    await publish(2)
    writeFileSync(file(), JSON.stringify({ version: 1, entity: 'CL', runId: base }))
    const child = world.start('changes CL --follow')
    // The reader does not read the output, so the first set is never printed completely.
    child.stdout.destroy()
    const stderr = collect(child.stderr)
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(1)
    expect(stderr.text).toContain(
      `The program that reads the records has exited. The position is run ${base}.`,
    )
    expect(stored()).toBe(base)
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

  it('lets a program accept a set of which it has not read everything', async () => {
    await publish(1)
    const interrupt = new AbortController()
    const following = world.begin(`changes CL --follow --since ${base} --exec true`, {
      signal: interrupt.signal,
    })
    await vi.waitFor(() => expect(stored()).toBe(first), 20_000)
    interrupt.abort()
    await following.ended
  })

  it('refuses a second program that follows with the same position file, until the first has stopped', async () => {
    await publish(1)
    const follow = `changes CL --follow --since ${base}`
    const first = await followUntil(follow, record(10), async () => {
      const second = await world.longshore(`${follow} --exec ./other.sh`)
      expect(second).toMatchObject({ code: 1, stdout: '' })
      expect(second.stderr).toContain(`${file()} is in use by process ${process.pid}`)
      expect(second.stderr).toContain('give each program its own position: --position FILE')
      const interrupt = new AbortController()
      const own = world.begin(`${follow} --position other.json`, { signal: interrupt.signal })
      await until(own.stdout, record(10))
      interrupt.abort()
      await own.ended
    })
    expect(first.code).toBe(130)
    await publish(2)
    expect((await followUntil(follow, record(11))).stdout).toBe(printed(1, 11))
    expect(existsSync(`${file()}.lock`)).toBe(false)
  })

  it.each([
    [
      'moved it to run',
      () => writeFileSync(file(), JSON.stringify({ version: 1, entity: 'CL', runId: third })),
    ],
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

  it('reports a program that cannot be started, and keeps its position', async () => {
    await publish(1)
    const { code, stderr } = await world.longshore(`changes CL --follow --since ${base} --exec ./absent`)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('./absent ended with exit code 127') as string,
    })
    expect(stored()).toBe(base)
  })

  it('explains how to begin again if the sets after its position have expired', async () => {
    await publishChain(world.stores, 'CL', sets.slice(1))
    writeFileSync(file(), JSON.stringify({ version: 1, entity: 'CL', runId: base }))
    const { code, stderr } = await world.longshore('changes CL --follow --exec ./load.sh')
    expect(code).toBe(1)
    expect(stderr).toContain(`No change sets of CL start from run ${base}`)
    expect(stderr).toMatch(
      /pull CL --force .*delete .*CL\.position\.json and continue .*--follow --since RUN --exec \.\/load\.sh/,
    )

    // As the message suggests.
    rmSync(file())
    expect((await followUntil(`changes CL --follow --since ${first}`, record(12))).stdout).toBe(
      printed(1, 11, 2, 12),
    )
  })

  it('is refused without change sets, and with options that it cannot have', async () => {
    expect((await world.longshore('changes CL --follow')).stderr).toContain('CL has no change sets.')
    expect(existsSync(file())).toBe(false)
    for (const option of ['--reset', '-o x'])
      expect(await world.longshore(`changes CL --follow ${option}`)).toMatchObject({ code: 2 })
    for (const option of ['--position', '--exec'])
      expect(await world.longshore(`changes CL ${option} x`)).toMatchObject({ code: 2 })
  })
})
