import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommandLine } from '../../cli/run.ts'
import { createTerminal } from '../../cli/shell/terminal.ts'
import { shortPause } from '../pauses.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type CliWorld, collect, startCliWorld, until } from './cli-world.ts'

const folder = temporaryFolder()
afterEach(() => vi.unstubAllEnvs())

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
    const ended = runCommandLine(args, { terminal, pause: shortPause, signal: controller.signal })
    await until(notes, 'Press Ctrl-C')
    expect(opened()).toHaveLength(pages)
    controller.abort()
    expect([await ended, results.text, opened()]).toEqual([0, 'The console has stopped.\n', []])
    await expect(fetch(/http:\S+/.exec(notes.text)?.[0] ?? '')).rejects.toThrow('fetch failed')
  })
})
