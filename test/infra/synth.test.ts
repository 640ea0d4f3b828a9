import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'longshore-synth-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs `npx cdk synth -q` as an owner would. */
function synth(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const output = mkdtempSync(join(folder, 'out-'))
  return new Promise((done) => {
    const options = { cwd: root, env: { ...process.env, CDK_DISABLE_VERSION_CHECK: '1' } }
    execFile('npx', ['cdk', 'synth', '-q', '--output', output, ...args], options, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
    )
  })
}

describe('npx cdk synth', () => {
  it('names all five mistakes of a configuration, and no line of ours that found them', async () => {
    const path = join(folder, 'mistakes.json')
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
    expect(stderr).toContain('has 5 mistakes:')
    expect(stderr).toContain("  upstream.baseUrl: 'http://shop.example.com' uses http")
    expect(stderr).toContain("  entities[0].schedule: 'rate(1 hours)' must be written rate(1 hour)\n")
    expect(stderr).toContain("  entities[1].schedule: 'every day' is neither rate(…) nor cron(…)\n")
    expect(stderr).toContain('  entities[1].query._size: is set by the sync; use pageSize instead\n')
    expect(stderr).toContain(
      "  stepSecond: is not a key of the configuration; 'stepSeconds' was probably meant\n",
    )
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('takes the example as it is', async () => {
    const { code, stderr } = await synth()
    expect(stderr).not.toContain('[Warning')
    expect(code).toBe(0)
    const [output] = readdirSync(folder, { recursive: true }).filter((path) =>
      String(path).endsWith('LongshoreSync.template.json'),
    )
    expect(output).toBeDefined()
  })
})
