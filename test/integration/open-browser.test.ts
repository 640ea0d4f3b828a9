import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommandLine } from '../../cli/run.ts'
import { openBrowser } from '../../cli/shell/browser.ts'
import { createTerminal } from '../../cli/shell/terminal.ts'
import { type CliWorld, collect, startCliWorld, until } from './cli-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
afterEach(() => vi.unstubAllEnvs())
afterAll(() => rmSync(folder, { recursive: true }))

const url = 'http://127.0.0.1:4511/?token=the-token'

it('the console hands its URL to the browser in a private file, since every user can read command lines', async () => {
  const record = join(folder, 'arguments')
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf %s "$*" > ${record}~; mv ${record}~ ${record}\n`, {
      mode: 0o700,
    })
  }
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
  const opened = openBrowser(url)
  await vi.waitFor(() => expect(existsSync(record)).toBe(true), 10_000)
  const file = readFileSync(record, 'utf8')
  expect(file).not.toContain('token')
  expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
  expect(readFileSync(file, 'utf8')).toContain(`content="0; url=${url}"`)
  opened.remove()
  expect(existsSync(dirname(file))).toBe(false)
})

it('the console does without a browser', async () => {
  vi.stubEnv('PATH', folder)
  rmSync(join(folder, 'xdg-open'), { force: true })
  rmSync(join(folder, 'open'), { force: true })
  const opened = openBrowser(url)
  // An error of the process that was not started would fail this file.
  await new Promise((done) => setTimeout(done, 100))
  expect(() => opened.remove()).not.toThrow()
})

describe('longshore console', () => {
  let world: CliWorld
  beforeAll(async () => {
    world = await startCliWorld()
  })
  afterAll(() => world.close())

  it.each([
    ['a person', true, [], 1],
    ['a person, with --no-open', true, ['--no-open'], 0],
    ['a script', false, [], 0],
  ])('started by %s (%#) opens as many browsers as expected', async (...[, isInteractive, flags, pages]) => {
    vi.stubEnv('PATH', folder)
    vi.stubEnv('TMPDIR', mkdtempSync(join(folder, 'pages-')))
    const opened = () => readdirSync(tmpdir()).filter((name) => name.startsWith('longshore-console-'))
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const [results, notes] = [collect(stdout), collect(stderr)]
    const terminal = { ...createTerminal({ stdin: Readable.from([]), stdout, stderr }), isInteractive }
    const controller = new AbortController()
    const args = ['console', ...flags, '--config', world.writeConfiguration('console.json', {})]
    const ended = runCommandLine(args, { terminal, signal: controller.signal })
    await until(notes, 'Press Ctrl-C')
    expect(opened()).toHaveLength(pages)
    controller.abort()
    expect([await ended, results.text, opened()]).toEqual([0, 'The console has stopped.\n', []])
    await expect(fetch(/http:\S+/.exec(notes.text)?.[0] ?? '')).rejects.toThrow('fetch failed')
  })
})
