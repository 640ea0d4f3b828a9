import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { onScroll } from '../../local/stand-in/faults.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { type CliWorld, collect, placeholder, startCliWorld, until } from '../integration/cli-world.ts'

let world: CliWorld
beforeAll(async () => {
  world = await startCliWorld()
})
afterAll(() => world.close())

it('names the credentials first while they are not set', async () => {
  const { stdout } = await world.longshore('status')
  expect(stdout).toMatch(
    /^Needs attention: \d problems?\n✗ Credentials for logistics, subscriptions, documents are not set\.\n.*\n {2}→ \S+ \S+ longshore credentials set /,
  )
  expect(stdout).toContain('CL has no snapshot yet.')
})

describe('credentials set', () => {
  it('keeps the former credentials if the platform rejects the new ones, and prints neither', async () => {
    const { code, stdout, stderr } = await world.longshore('credentials set', 'wr0ng-key\nwr0ng-token\n')
    expect(code).toBe(1)
    expect(stderr).toContain('rejects these credentials')
    expect(stdout + stderr).not.toMatch(/wr0ng| {4}at /)
    expect(world.secret.current()).toBe(placeholder)
    expect(world.secret.stages()).toEqual(['AWSCURRENT'])
  })

  it('keeps the former credentials if it is interrupted during the check', async () => {
    const before = world.secret.current()
    const match = vi.fn<() => boolean>(() => true)
    world.platform.faults.add({ match, times: 2, fault: { kind: 'slow', beforeHeadersMs: 1_000 } })
    const child = world.start('credentials set')
    const notes = collect(child.stderr)
    child.stdin.end(JSON.stringify(localCredentials))
    await vi.waitFor(() => expect(match).toHaveBeenCalledTimes(2), 120_000)
    child.kill('SIGTERM')
    expect((await once(child, 'close'))[0]).toBe(130)
    expect(notes.text).toContain('Interrupted. The previous credentials stay in use.')
    expect(world.secret.current()).toBe(before)
    expect(world.secret.stages()).not.toContain('LONGSHORE_CANDIDATE')
    world.platform.faults.clear()
  })

  it('is ended if the check does not stop within 2 seconds of an interrupt', async () => {
    const before = world.secret.current()
    const match = vi.fn<() => boolean>(() => true)
    world.platform.faults.add({ match, times: 2, fault: { kind: 'slow', beforeHeadersMs: 12_000 } })
    const child = world.start('credentials set')
    child.stdin.end(JSON.stringify(localCredentials))
    await vi.waitFor(() => expect(match).toHaveBeenCalledTimes(2), 120_000)
    child.kill('SIGINT')
    expect((await once(child, 'close'))[0]).toBe(130)
    expect(world.secret.current()).toBe(before)
    world.platform.faults.clear()
  })

  it('makes accepted credentials current, after calls that change nothing', async () => {
    world.platform.requests.splice(0)
    const { code, stdout } = await world.longshore('credentials set --json', JSON.stringify(localCredentials))
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ areas: ['logistics', 'subscriptions', 'documents'] })
    expect(JSON.parse(world.secret.current())).toEqual(localCredentials)
    expect(world.secret.stages()).toEqual(['AWSCURRENT', 'AWSPREVIOUS'])
    expect(world.platform.requests.map(({ kind }) => kind).toSorted()).toEqual(['dock', 'search'])
  })

  it('starts the entities without a snapshot with --yes, and only names them without a terminal', async () => {
    const input = JSON.stringify(localCredentials)
    expect((await world.longshore('credentials set', input)).stdout).toContain('Waiting for a sync: CL, AD')
    expect(await world.longshore('credentials set --no-sync --json', input)).toMatchObject({ code: 0 })
    expect(JSON.parse((await world.longshore('status --json')).stdout).entities).toMatchObject([
      { runs: [] },
      { runs: [] },
    ])
    const started = await world.longshore('credentials set --yes --json', input)
    expect(JSON.parse(started.stdout)).toMatchObject({ started: ['CL', 'AD'] })
    await vi.waitFor(async () => expect((await world.snapshot('AD')).lines).toHaveLength(5), 20_000)
    await vi.waitFor(async () => expect((await world.snapshot('CL')).lines).toHaveLength(95), 20_000)
    expect((await world.longshore('credentials set', input)).stdout).not.toContain('Waiting for a sync')
  })
})

describe('sync', () => {
  it('starts a run, shows its progress to the end, and its result appears in runs and status', async () => {
    const synced = await world.longshore('sync CL --watch')
    expect(synced.code).toBe(0)
    expect(synced.stdout).toMatch(/^Published 95 documents of CL in (?:< )?\d+ s; proof: exact\.\n$/)
    expect(synced.stderr).toContain('100%  95 of 95')
    const { latest } = await world.snapshot('CL')
    expect((await world.longshore('runs CL')).stdout).toContain(latest.runId)
    const status = await world.longshore('status')
    expect(status.stdout).toMatch(/CL +rate\(1 day\) +95 +(?:< )?\d+ s ago +published/)
  })

  it('can be cancelled, which ends every --watch with exit code 1', async () => {
    world.platform.faults.add({
      match: onScroll({ entity: 'CL', request: 2 }),
      times: Number.POSITIVE_INFINITY,
      fault: { kind: 'slow', beforeHeadersMs: 4_000 },
    })
    const watcher = world.begin('sync CL --watch')
    await until(watcher.stderr, 'of 95')
    const second = world.begin('sync CL --watch')
    await until(second.stderr, 'already in progress')
    expect(await world.longshore('sync CL')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is in progress') as string,
    })
    const [running] = JSON.parse((await world.longshore('runs CL --json')).stdout).runs
    expect(await world.longshore('cancel CL')).toMatchObject({
      code: 0,
      stdout: `Cancelled run ${running.runId} of CL.\n`,
    })
    expect((await Promise.all([watcher.ended, second.ended])).map(({ code }) => code)).toEqual([1, 1])
    world.platform.faults.clear()
    expect(await world.longshore('cancel CL')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No sync of CL is running') as string,
    })
  })

  it('continues after Ctrl-C ends --watch', async () => {
    world.platform.faults.add({
      match: onScroll({ entity: 'AD' }),
      times: 1,
      fault: { kind: 'slow', beforeHeadersMs: 4_000 },
    })
    const watcher = world.start('sync AD --watch')
    const output = collect(watcher.stderr)
    await until(output, 'AD')
    watcher.kill('SIGINT')
    expect((await once(watcher, 'close'))[0]).toBe(130)
    expect(output.text).toContain('continues')
    await vi.waitFor(async () => expect((await world.snapshot('AD')).lines).toHaveLength(5), 20_000)
  })

  it('starts every enabled entity with --all', async () => {
    expect(await world.longshore('sync --all')).toMatchObject({ code: 0 })
    const interrupt = new AbortController()
    const watching = world.begin('status --watch', { signal: interrupt.signal })
    await vi.waitFor(() => expect(watching.stdout.text).toContain('AD'), { timeout: 20_000 })
    interrupt.abort()
    await watching.ended
    const { code, stdout } = await world.longshore('sync --all --watch --json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).runs).toMatchObject([
      { entity: 'CL', status: 'published' },
      { entity: 'AD', status: 'published' },
    ])
    const runs = async (flags: string) =>
      JSON.parse((await world.longshore(`runs CL --json${flags}`)).stdout).runs as unknown[]
    expect((await runs('')).length).toBeGreaterThan(1)
    expect(await runs(' --limit 1')).toHaveLength(1)
    expect(await world.longshore('runs CL --limit none')).toMatchObject({ code: 2 })
  })

  it('reports the failure of a run whose entity is not deployed', async () => {
    const config = world.writeConfiguration('more.json', {})
    const { entities, ...rest } = JSON.parse(readFileSync(config, 'utf8'))
    writeFileSync(
      config,
      JSON.stringify({ ...rest, entities: [...entities, { ...entities[0], name: 'XX' }] }),
    )
    const { code, stdout } = await world.longshore('sync XX --watch', '', config)
    expect(code).toBe(1)
    expect(stdout).toContain('of XX ended as failed')
    expect(stdout).toContain('not configured')
  })
})
