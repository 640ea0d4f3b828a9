import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../endpoints.ts'
import { npmPackages } from '../npm-packages.ts'
import { optionalTools } from '../optional-tools.ts'
import { described, jwt } from '../unit/openapi/described.ts'

const name = 'openapi-linters'
const packages = await optionalTools({ name, needs: 'npm and a package registry' }, (cleanUp) =>
  npmPackages({ name, manifest: new URL('openapi-linters.json', import.meta.url) }, cleanUp),
)

const upstream = { baseUrl: 'https://shop.example.com', account: 'shop' }
const good = {
  'iam.json': described({ upstream, endpoints, entities: [{ name: 'CL', schedule: 'rate(1 day)' }] }),
  'jwt.json': described({ upstream, auth: jwt }),
}
const wrong = { ...good['jwt.json'], tags: [], servers: [] }

interface Report {
  readonly problems: readonly { message: string; location: { source: { ref: string } }[] }[]
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-linters-'))
  writeFileSync(join(folder, '.spectral.json'), '{"extends":["spectral:oas"]}')
  for (const [file, document] of Object.entries({ ...good, 'wrong.json': wrong }))
    writeFileSync(join(folder, file), JSON.stringify(document))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Both exit with a code other than 0 when they find errors. */
async function lint(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(packages ?? '', 'node_modules', program), ...args, ...Object.keys(good), 'wrong.json'],
    {
      cwd: folder,
      maxBuffer: 1 << 26,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  ).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }))
  return stdout
}

describe.skipIf(!packages)('the OpenAPI document, with AWS identities and with tokens', () => {
  it('has nothing that Redocly CLI warns about', async () => {
    const printed = await lint('@redocly/cli/bin/cli.js', ['lint', '--format', 'json'])
    // It prints an object for each file.
    const problems = printed
      .split(/(?<=^\})\s*(?=\{)/m)
      .flatMap((report) => (JSON.parse(report) as Report).problems)
    const inFile = (file: string) =>
      problems.filter(({ location }) => location[0]?.source.ref.endsWith(file) ?? false)
    expect(Object.keys(good).flatMap(inFile)).toEqual([])
    expect(inFile('wrong.json')).not.toEqual([])
  })

  it('has nothing that Spectral warns about', async () => {
    const options = ['lint', '--format', 'json', '--fail-severity', 'hint', '--quiet']
    const found = JSON.parse(await lint('@stoplight/spectral-cli/dist/index.js', options)) as {
      message: string
      source: string
    }[]
    expect(found.filter(({ source }) => !source.endsWith('wrong.json'))).toEqual([])
    expect(found).not.toEqual([])
  })
})
