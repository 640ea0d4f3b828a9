import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
let base: string
const numbered = makeDocuments(115)
const documents = numbered.slice(0, 95)
/** As many documents, 20 of them in the place of others: the guard of the snapshot only counts. */
const replaced = [...numbered.slice(0, 75), ...numbered.slice(95)]
beforeAll(async () => {
  world = await startCliWorld()
  await world.longshore('credentials set --skip-check --no-sync', 'app-key\napp-token')
  base = await sync('')
  await world.longshore('pull CL')
})
afterAll(() => world.close())

/** Syncs CL through the state machine and waits for the comparison. Returns the run. */
async function sync(flags: string): Promise<string> {
  const { stdout } = await world.longshore(`sync CL --watch --json${flags}`)
  const { runId, status } = JSON.parse(stdout)
  if (status !== 'published') throw new Error(stdout)
  return runId
}

const tip = async () => JSON.parse((await world.longshore('changes CL --json')).stdout).tip as string
const pulled = () => readFileSync(join(world.folder, 'CL.ndjson'), 'utf8').trimEnd().split('\n')

/** Every command that shows change sets reports the refused one, and how to continue. */
async function expectRefused(run: string) {
  const evidence = `The change set of run ${run} was refused: it deletes 21 of 95 documents.`
  const review = new RegExp(`→ npx --no-install longshore review ${run} --config `)
  const expectReported = async (command: string, code: number, stream: 'stdout' | 'stderr' = 'stdout') => {
    const result = await world.longshore(command)
    expect([command, result.code]).toEqual([command, code])
    expect(result[stream].replaceAll(/\s+/g, ' ')).toContain(evidence)
    expect(result[stream]).toMatch(review)
  }
  const before = pulled()
  await expectReported('status', 0)
  await expectReported('status --check', 1)
  await expectReported('changes CL', 0)
  await expectReported(`changes CL --since ${run}`, 1, 'stderr')
  await expectReported('pull CL --update', 1)
  expect(pulled()).toEqual(before)
  // A fresh download is ahead of the change sets: downloading it again would change nothing.
  await world.longshore('pull CL -o fresh.ndjson')
  await expectReported('pull CL -o fresh.ndjson --update', 1)
  const { problems } = JSON.parse((await world.longshore('status --json')).stdout)
  expect(problems).toMatchObject([
    { kind: 'changes-refused', entity: 'CL', since: expect.any(String) },
    { kind: 'no-snapshot', entity: 'AD' },
  ])
}

describe('with the comparison that is deployed', () => {
  it('pull --update leads to the documents of the platform after creates, updates and deletes', async () => {
    const [first = Buffer.alloc(0), , ...rest] = documents
    const updated = Buffer.from(`${String(first).slice(0, -1)},"changed":1.50}`)
    const created = Buffer.from('{"id":"created","amount":12345678901234567890}')
    const changed = [updated, ...rest, created]
    world.platform.documents.set('CL', changed)
    const run = await sync('')
    await vi.waitFor(async () => expect(await tip()).toBe(run), 20_000)

    const { stdout } = await world.longshore('pull CL --update --json')
    expect(JSON.parse(stdout)).toMatchObject({ since: base, runId: run, created: 1, updated: 1, deleted: 1 })
    expect(pulled().toSorted()).toEqual(changed.map(String).toSorted())
  })

  it('sync --accept-deletes publishes a change set that the guard refuses otherwise', async () => {
    const before = await tip()
    world.platform.documents.set('CL', replaced)
    const refusedRun = await sync('')
    const status = async () => (await world.longshore('status')).stdout
    await vi.waitFor(async () => expect(await status()).toContain(`review ${refusedRun}`), 20_000)
    expect(await tip()).toBe(before)
    await expectRefused(refusedRun)
    const accepting = await world.longshore('sync CL --watch --accept-deletes --json')
    expect(accepting.stderr).toMatch(
      /^With --accept-deletes, the run publishes .*\n {2}→ .*longshore review CL/,
    )
    // The warning is not part of the result.
    const { runId: run } = JSON.parse(accepting.stdout)
    await vi.waitFor(async () => expect(await tip()).toBe(run), 20_000)
    expect(await world.longshore('pull CL --update')).toMatchObject({ code: 0 })
    expect(pulled().toSorted()).toEqual(replaced.map(String).toSorted())
  })

  it('changes --reset starts the chain again with the next sync, and readers load its snapshot', async () => {
    const before = await tip()
    const { code, stdout } = await world.longshore('changes CL --reset')
    expect(code).toBe(0)
    expect(stdout).toMatch(/The next change set of CL is a reset.*longshore.*sync CL --watch/)
    expect(await tip()).toBe(before)
    const run = await sync('')
    await vi.waitFor(async () => expect(await tip()).toBe(run), 20_000)
    expect(await world.longshore(`changes CL --since ${before}`)).toMatchObject({ code: 1 })
    expect(await world.longshore('pull CL --force')).toMatchObject({ code: 0 })
    const next = await sync('')
    await vi.waitFor(async () => expect(await tip()).toBe(next), 20_000)
    expect(await world.longshore('pull CL --update')).toMatchObject({ code: 0 })
  })

  it.each([
    ['changes CL --reset --since 20261121T120000000Z-0123456789ab', 2, '--reset cannot be used with'],
    ['changes CL --reset -o changes.ndjson', 2, '--reset cannot be used with'],
    ['changes XX --reset', 1, 'The entity XX is not configured.'],
  ])('%s exits with %i', async (command, code, message) => {
    const result = await world.longshore(command)
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)])
  })

  it('pull --update leaves one document of each id: the last one', async () => {
    const [first = Buffer.alloc(0), ...rest] = makeDocuments(150)
    const repeated = Buffer.from(`${String(first).slice(0, -1)},"repeated":true}`)
    world.platform.documents.set('CL', [first, repeated, ...rest])
    const run = await sync('')
    await vi.waitFor(async () => expect(await tip()).toBe(run), 20_000)

    await world.longshore('pull CL --force')
    expect(pulled()).toEqual([first, repeated, ...rest].map(String))
    expect(await world.longshore('pull CL --update')).toMatchObject({ code: 0 })
    expect(pulled()).toEqual([repeated, ...rest].map(String))
    const { stdout } = await world.longshore('pull CL --update')
    expect(stdout).toContain('is up to date')
  })
})
