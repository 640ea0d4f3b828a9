import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CliWorld, collect, startCliWorld } from '../integration/cli-world.ts'

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))
let world: CliWorld
let status: string

beforeAll(async () => {
  world = await startCliWorld()
  const names = Array.from({ length: 240 }, (_, n) => `${'ENTITY'.repeat(9)}${n}`)
  status = `status --json --config ${world.writeConfiguration('many.json', {}, names)}`
})
afterAll(() => world.close())

it('writes a result of any size completely into a pipe, at the pace of its reader', async () => {
  const child = world.start(status)
  // The pipe is full long before the command has written everything.
  await once(child.stdout, 'readable')
  const stdout = collect(child.stdout)
  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(0)
  expect(stdout.text.length).toBeGreaterThan(80_000)
  expect(JSON.parse(stdout.text).entities).toHaveLength(240)
})

it('treats a reader that leaves as the end of the command, not as an error', async () => {
  const child = world.start(status)
  child.stdout.destroy()
  const stderr = collect(child.stderr)
  const [code] = (await once(child, 'close')) as [number]
  expect({ code, stderr: stderr.text }).toEqual({ code: 0, stderr: '' })
})

it.runIf(existsSync('/dev/full'))('fails if the disk of its result is full', async () => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [main, ...status.split(' ')], { stdio: ['ignore', full, 'pipe'] })
  const stderr = collect(child.stderr as Readable)
  const [code] = (await once(child, 'close')) as [number]
  closeSync(full)
  expect({ code, stderr: stderr.text }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /Cannot write the result to standard output: no space is left\. The result is incomplete\./,
    ) as string,
  })
})
