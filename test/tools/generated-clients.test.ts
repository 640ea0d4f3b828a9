import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { npmPackages } from '../npm-packages.ts'
import { type NpmStart, npmStart } from '../npm-start.ts'
import { optionalTools } from '../optional-tools.ts'
import { type Command, pathWithOurNode, run } from '../processes.ts'
import { pythonTools } from '../python-tools.ts'

/** Vitest ends its own child processes. */
const noCleanUp = { add: () => undefined }
const programs = new URL('./generated-clients/', import.meta.url)
const generators = await pythonTools(
  'generators',
  new URL('../e2e/generated-clients/generators.txt', import.meta.url),
)
const packages = await optionalTools({ name: 'generators', needs: 'a package index' }, (cleanUp) =>
  npmPackages({ name: 'generators', manifest: new URL('package.json', programs) }, cleanUp),
)

/** Whether a compiler is installed; if it must be, it throws where it is missing. */
const isInstalled = (file: string, version: string) =>
  optionalTools({ name: file, needs: `${file} on the PATH` }, async (cleanUp) => {
    await run({ file, arguments: [version] }, cleanUp)
    return file
  })
const go = generators && (await isInstalled('go', 'version'))
const maven = generators && (await isInstalled('mvn', '-version'))

let folder: string
let platform: Platform
let started: NpmStart
let description: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-clients-'))
  platform = await startPlatform({
    documents: { CL: makeDocuments(100) },
    docks: { 'dock-1': Buffer.from(JSON.stringify({ id: 'dock-1', name: 'Quay', aLaterMember: [1] })) },
    subscriptions: { 'subscription-1': { status: 'ACTIVE', item: { quantity: 1 } } },
  })
  started = await npmStart({ entities: [{ name: 'CL', schedule: 'rate(1 day)' }] }, platform.url)
  description = join(folder, 'openapi.json')
  writeFileSync(description, await (await fetch(`${started.apiUrl}/openapi.json`)).text())
})
afterAll(async () => {
  await started?.stop()
  await platform?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const execute = (command: Command) => run({ timeoutSeconds: 400, ...command }, noCleanUp)

/** The folder with a client of openapi-generator in this language. */
async function generated(name: string, ...options: readonly string[]): Promise<string> {
  const client = join(folder, name)
  await execute({
    file: join(generators ?? '', 'openapi-generator-cli'),
    arguments: ['generate', '-i', description, '-o', client, '-g', ...options],
  })
  return client
}

const copyProgram = (name: string, target: string) =>
  cpSync(fileURLToPath(new URL(name, programs)), target, { recursive: true })

async function useGo(): Promise<string> {
  const client = await generated(
    'go',
    'go',
    '--package-name',
    'longshore',
    '--git-host',
    'example.com',
    '--git-user-id',
    '',
    '--git-repo-id',
    'longshore',
  )
  rmSync(join(client, 'test'), { recursive: true, force: true })
  mkdirSync(join(client, 'program'))
  copyProgram('program.go.txt', join(client, 'program', 'main.go'))
  writeFileSync(join(client, 'go.mod'), 'module example.com/longshore\n\ngo 1.23\n')
  return execute({ file: 'go', arguments: ['run', './program', started.apiUrl], folder: client })
}

/** `setAddress`: the method of the client that sets the address of the API. */
async function useJava(library: string, setAddress: string): Promise<string> {
  const client = await generated(library, 'java', '--library', library)
  const program = readFileSync(new URL('Program.java.txt', programs), 'utf8')
  writeFileSync(join(client, 'src/main/java/Program.java'), program.replace('SET_ADDRESS', setAddress))
  await execute({
    file: 'mvn',
    arguments: ['-q', '-B', 'compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'],
    folder: client,
  })
  return execute({
    file: 'sh',
    arguments: ['-c', 'java -cp "target/classes:$(cat classpath)" Program "$0"', started.apiUrl],
    folder: client,
  })
}

const strict = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node', '--skipLibCheck']

async function useTypeScript(program: string, generate: [tool: string, ...args: string[]]): Promise<string> {
  // The compiler writes nothing for files below node_modules, so the packages are linked.
  const client = join(folder, program)
  mkdirSync(client)
  symlinkSync(join(packages ?? '', 'node_modules'), join(client, 'node_modules'))
  writeFileSync(join(client, 'package.json'), '{"type":"module"}')
  copyProgram(`${program}.ts.txt`, join(client, 'program.ts'))
  const node = (tool: string, ...args: readonly string[]) =>
    execute({
      file: process.execPath,
      arguments: [join('node_modules', tool), ...args],
      folder: client,
      environment: { PATH: pathWithOurNode() },
    })
  await node(...generate)
  await node('typescript/bin/tsc', ...strict, 'program.ts')
  return node('../program.js', started.apiUrl)
}

it.for<[string, boolean, () => Promise<string>]>([
  ['openapi-generator, Go', Boolean(go), useGo],
  ['openapi-generator, Java with java.net.http', Boolean(maven), () => useJava('native', 'updateBaseUri')],
  ['openapi-generator, Java with OkHttp', Boolean(maven), () => useJava('okhttp-gson', 'setBasePath')],
  [
    'hey-api, TypeScript',
    Boolean(packages),
    () =>
      useTypeScript('hey-api', [
        '@hey-api/openapi-ts/bin/run.js',
        `--input=${description}`,
        '--output=client',
        '--client=@hey-api/client-fetch',
      ]),
  ],
  [
    'orval, TypeScript',
    Boolean(packages),
    () =>
      useTypeScript('orval', [
        'orval/dist/bin/orval.mjs',
        `--input=${description}`,
        '--output=client.ts',
        '--client=fetch',
      ]),
  ],
])(
  'a generated client compiles with the defaults of its generator, and reads and patches: %s',
  { timeout: 600_000 },
  async ([, isPossible, use], { skip }) => {
    if (!isPossible) return skip()
    platform.subscriptions.set('subscription-1', { status: 'ACTIVE', item: { quantity: 1 } })
    expect(JSON.parse(await use())).toEqual({
      dock: 'Quay',
      patched: 200,
      found: ['client3@example.com'],
      scrolled: 100,
      entities: ['CL'],
      problem: 'urn:longshore:problem:not-found',
      openapi: '3.1.1',
    })
    expect(platform.subscriptions.get('subscription-1')).toMatchObject({ item: { quantity: 3 } })
  },
)
