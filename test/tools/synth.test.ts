import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = temporaryFolder()

interface Synthesis {
  readonly code: number
  readonly stderr: string
  /** The folder of the cloud assembly. */
  readonly output: string
}

/** Runs `npx cdk synth -q` as a user with a strict umask would. */
function synth(...args: string[]): Promise<Synthesis> {
  const output = mkdtempSync(join(folder, 'out-'))
  const command = ['umask 077; exec npx cdk synth -q "$@"', 'sh', '--output', output, ...args]
  return new Promise((done) => {
    const options = { cwd: root, env: { ...process.env, CDK_DISABLE_VERSION_CHECK: '1' } }
    execFile('sh', ['-c', ...command], options, (error, _stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stderr, output }),
    )
  })
}

describe('npx cdk synth', () => {
  it('lists all five errors of a configuration without a stack trace', async () => {
    const path = join(folder, 'errors.json')
    writeFileSync(
      path,
      JSON.stringify({
        upstream: { baseUrl: 'http://shop.example.com' },
        entities: [
          { name: 'CL', schedule: 'rate(1 hours)' },
          { name: 'AD', schedule: 'every day', query: { _size: 100 } },
        ],
        stepSecond: 60,
      }),
    )
    const { code, stderr } = await synth('-c', `config=${path}`)
    expect(code).not.toBe(0)
    expect(stderr).toContain('has 5 errors:')
    expect(stderr).toContain("  upstream.baseUrl: 'http://shop.example.com' uses http")
    expect(stderr).toContain("  entities[0].schedule: 'rate(1 hours)' must be written rate(1 hour)\n")
    expect(stderr).toContain("  entities[1].schedule: 'every day' is neither rate(…) nor cron(…)\n")
    expect(stderr).toContain('  entities[1].query._size: is set by the sync; use pageSize instead\n')
    expect(stderr).toContain("  stepSecond: unknown key. Did you mean 'stepSeconds'?\n")
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('accepts the example configuration, and makes its code readable under any umask', async () => {
    const { code, stderr, output } = await synth()
    expect(stderr).not.toContain('[Warning')
    expect(code).toBe(0)
    expect(readdirSync(output)).toContain('LongshoreSync.template.json')

    // Lambda could not read files with the modes of the umask.
    const files = globSync('asset.*/**/*', { cwd: output }).map((file) => join(output, file))
    const modes = files
      .filter((file) => statSync(file).isFile())
      .map((file) => (statSync(file).mode & 0o777).toString(8))
    expect(modes.length).toBeGreaterThan(5)
    expect(new Set(modes)).toEqual(new Set(['644']))
  })
})
