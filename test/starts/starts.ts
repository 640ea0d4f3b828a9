import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'

const script = fileURLToPath(new URL('../../local/start.ts', import.meta.url))

/** The processes of `npm start` of a file of tests, and a folder for them that is removed at the end. */
export function prepareStarts() {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const start = (args: readonly string[], env: Record<string, string> = {}) => {
    // The developer's AWS profile must have no effect.
    const child = spawn(process.execPath, [script, ...args], {
      env: {
        ...process.env,
        AWS_PROFILE: 'nobody',
        TMPDIR: folder,
        LONGSHORE_LOCAL: join(folder, 'local.json'),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const written = { output: '' }
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        written.output += String(chunk)
      })
    }
    return { child, written }
  }

  return {
    start,

    /** The exit code and all output. */
    run: async (args: readonly string[], env: Record<string, string> = {}) => {
      const { child, written } = start(args, env)
      const [code] = (await once(child, 'close')) as [number]
      return { code, output: written.output }
    },

    configuration: (entities: readonly object[]): string => {
      const file = join(folder, `config-${randomUUID()}.json`)
      writeFileSync(file, JSON.stringify({ upstream: { baseUrl: 'https://shop.example.com' }, entities }))
      return file
    },

    dataFolder: () => join(folder, 'data'),
  }
}

export const oneEntity = [{ name: 'ZZ', schedule: 'rate(1 day)' }]
