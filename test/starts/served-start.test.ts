import { once } from 'node:events'
import { statSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { oneEntity, prepareStarts } from './starts.ts'

const { start, run, configuration, dataFolder } = prepareStarts()

it('npm start exits with 2 and the reason if an option is unknown', async () => {
  const { code, output } = await run(['--onec'])
  expect(output).toContain("Unknown option '--onec'")
  expect(output).not.toContain('    at ')
  expect(code).toBe(2)
})

it('npm start exits with 2 and the reason if --like is not the report of a probe', async () => {
  const config = configuration(oneEntity)
  expect(await run(['--config', config, '--like', config])).toEqual({
    code: 2,
    output: expect.stringContaining(
      `${config} is not a report of a probe: it has no version. Write one: longshore probe`,
    ) as string,
  })
})

it.each([
  [['--once'], 'API '],
  [[], 'POST /syncs/ZZ\n  202'],
  [['--once'], '{"increment":true}\n  202'],
  [[], 'The next full sync'],
])(
  'npm start %j does not succeed if it is interrupted in the demo, after %j, and says nothing of it',
  async (args, after) => {
    const { child, written } = start([...args, '--config', configuration(oneEntity)])
    await vi.waitFor(() => expect(written.output).toContain(after), { timeout: 50_000, interval: 5 })
    child.kill('SIGINT')
    expect((await once(child, 'close'))[0]).toBe(1)
    expect(written.output).not.toMatch(/failed|✗|error/i)
  },
)

it('npm start ends the profile shrink with the commands that review and accept what was refused', async () => {
  const { child, written } = start(['--config', configuration(oneEntity), '--faults', 'shrink'])
  await vi.waitFor(() => expect(written.output).toContain('Serving until Ctrl-C.'), 50_000)
  const [, runId] = [...written.output.matchAll(/^ +202 \{"runId":"([^"]+)"/gm)].at(-1) ?? []
  for (const name of ['review', 'accept'])
    expect(written.output).toContain(`npx --no-install longshore --local ${name} ${runId}`)
  child.kill('SIGINT')
  await once(child, 'close')
})

it('npm start serves until Ctrl-C, and --data keeps the state for the next start', async () => {
  const args = ['--config', configuration(oneEntity), '--data', dataFolder()]
  const first = start(args)
  const api = await served(first)
  const response = await fetch(`${api}/api/dataentities/ZZ/search?_sort=number%20ASC`)
  expect([response.status, ((await response.json()) as unknown[]).length]).toEqual([200, 10])
  const before = await stateOf(api)
  expect(statSync(dataFolder()).mode & 0o777).toBe(0o700)
  expect(await run(args)).toMatchObject({
    code: 2,
    output: expect.stringContaining('is in use by another npm start') as string,
  })
  first.child.kill('SIGINT')
  expect((await once(first.child, 'close'))[0]).toBe(0)
  await expect(fetch(`${api}/syncs`)).rejects.toThrow('fetch failed')

  const second = start(args)
  const apiNow = await served(second)
  expect(second.written.output).not.toContain('POST /syncs')
  expect(second.written.output).toContain('stand-in with 5,001 ZZ')
  expect(await stateOf(apiNow)).toEqual(before)
  second.child.kill('SIGINT')
  await once(second.child, 'close')

  async function served({ written }: ReturnType<typeof start>): Promise<string> {
    await vi.waitFor(() => expect(written.output).toContain('Serving until Ctrl-C.'), 50_000)
    return /API +(http:\S+)/.exec(written.output)?.[1] ?? ''
  }

  /** What readers find: the syncs, the published pages with their hashes, and the change sets. */
  async function stateOf(url: string) {
    const read = async (path: string) => (await (await fetch(url + path)).json()) as Record<string, unknown>
    const { pages, ...manifest } = await read('/syncs/ZZ/snapshot')
    expect(manifest).toMatchObject({ documents: 5001 })
    const hashes = (pages as { sha256: string }[]).map(({ sha256 }) => sha256)
    const { tip } = await read('/syncs/ZZ/changes')
    // The age of the last window grows.
    const withoutAge = (key: string, value: unknown) => (key === 'ageSeconds' ? undefined : value)
    return { syncs: JSON.stringify(await read('/syncs'), withoutAge), manifest, hashes, tip }
  }
})
