import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Where no linter looks and `npm ci` cleans up. */
const cache = fileURLToPath(new URL('../node_modules/.cache/python/', import.meta.url))

const execute = promisify(execFile)

/**
 * Installs what a requirements file pins into a virtual environment, once for each state of that file, and returns
 * the folder of its programs. Without a usable Python 3 it says so and returns nothing, so that a developer's
 * tests go on without; where `CI` is set it throws instead, so that nothing is left out unseen.
 */
export async function pythonTools(requirements: string): Promise<string | undefined> {
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex')
  const folder = join(cache, `${basename(requirements, '.txt')}-${wanted.slice(0, 12)}`)
  const programs = join(folder, 'bin')
  const installed = join(folder, 'installed')
  try {
    await once(`${folder}.lock`, async () => {
      if (existsSync(installed)) return
      rmSync(folder, { recursive: true, force: true })
      await execute('python3', ['-m', 'venv', folder])
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input']
      await execute(join(programs, 'python'), [...pip, '--requirement', requirements])
      writeFileSync(installed, wanted)
    })
  } catch (cause) {
    const said = `${basename(requirements)} needs Python 3.11 or newer with venv, and a package index`
    if (process.env['CI']) throw new Error(`${said}.`, { cause })
    console.warn(`Left out: ${said}. ${firstLine(cause)}`)
    return undefined
  }
  return programs
}

/** Lets one process at a time through. A lock that is ten minutes old was left behind. */
async function once(lock: string, work: () => Promise<void>): Promise<void> {
  mkdirSync(cache, { recursive: true })
  const deadline = Date.now() + 600_000
  while (!taken(lock) && Date.now() < deadline) await sleep(200)
  try {
    await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function taken(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const firstLine = (error: unknown) => String(error instanceof Error ? error.message : error).split('\n')[0]
