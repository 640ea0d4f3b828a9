import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Platform } from '../../../local/stand-in/platform.ts'
import { npmPackages } from '../../npm-packages.ts'
import { pathWithOurNode } from '../../processes.ts'
import { virtualEnvironment } from '../../virtual-environment.ts'
import type { Check } from '../check.ts'
import type { CheckContext } from '../context.ts'
import type { Deployment } from '../deployment.ts'
import { call } from '../signed-call.ts'
import { localhostLookup } from './localhost-lookup.ts'

const sources = new URL('../generated-clients/', import.meta.url)
const guide = readFileSync(new URL('../../../examples/clients/README.md', import.meta.url), 'utf8')

/** A deployment with tokens, and the platform behind it, whose header prefix is X-VTEX. */
interface Target {
  readonly platform: Platform
  readonly deployment: Deployment
  readonly audience: string
}

/** The example of a section of the page, with the program that uses it. */
function programAfterExample(heading: string, program: string): string {
  const section = guide.split(`\n## ${heading}\n`)[1] ?? ''
  const [, example] = /```(?:ts|python)\n([\s\S]*?)```/.exec(section) ?? []
  assert.ok(example, `examples/clients/README.md has an example below ${heading}`)
  const withPrefix = example.replace(/(x-)svc/gi, (_, dash: string) => `${dash}vtex`)
  return `${withPrefix}\n${readFileSync(new URL(program, sources), 'utf8')}`
}

const scope = 'docks:read subscriptions:write documents:read syncs:read'

/** Clients that are generated from the document that the deployment serves, used as examples/clients/README.md shows. */
export function generatedClientChecks(target: () => Target): Check[] {
  /** What a program needs to call the API. */
  const environment = (context: CheckContext) => ({
    ...context.emulator.environment,
    SSL_CERT_FILE: context.emulator.environment['AWS_CA_BUNDLE'] ?? '',
    API_URL: target().deployment.apiUrl,
    TOKEN: context.issuer.token({ aud: target().audience, scope }),
  })

  async function servedDocument(context: CheckContext, folder: string): Promise<string> {
    const headers = { authorization: `Bearer ${context.issuer.token({ aud: target().audience })}` }
    const origin = new URL(target().deployment.apiUrl).origin
    const { status, body } = await call({ method: 'GET', origin, path: '/openapi.json', headers })
    assert.equal(status, 200)
    const file = join(folder, 'openapi.json')
    writeFileSync(file, body)
    return file
  }

  async function python(
    context: CheckContext,
    client: { name: string; heading: string; program: string; generate: (document: string) => string[] },
  ): Promise<string> {
    const requirements = new URL('generators.txt', sources)
    const programs = await virtualEnvironment({ name: 'generators', requirements }, context.cleanUp)
    const folder = join(context.folder, client.name)
    mkdirSync(folder)
    // The generator runs ruff, which is installed with it.
    const PATH = [programs, pathWithOurNode()].join(delimiter)
    await context.run({
      file: join(programs, client.name),
      arguments: client.generate(await servedDocument(context, folder)),
      folder,
      environment: { PATH },
      timeoutSeconds: 120,
    })
    const file = join(folder, 'program.py')
    writeFileSync(file, `${localhostLookup.python}\n${programAfterExample(client.heading, client.program)}`)
    await context.run({
      file: join(programs, 'python'),
      arguments: ['-m', 'compileall', '-q', 'longshore_client'],
      folder,
    })
    return context.run({
      file: join(programs, 'python'),
      arguments: ['program.py'],
      folder,
      environment: environment(context),
      timeoutSeconds: 60,
    })
  }

  /** Checks what a program printed, and what the platform received for the filter. */
  function assertUsed(printed: string, quantity: number): void {
    const { scrolled, ...others } = JSON.parse(printed)
    assert.deepEqual(others, {
      dock: 'Quay',
      patched: 200,
      found: ['client3@example.com'],
      entities: ['CL'],
      problems: ['urn:longshore:problem:invalid-request', 'urn:longshore:problem:not-found'],
    })
    assert.equal(new Set(scrolled).size, 100)
    assert.equal(scrolled.length, 100)
    const { platform } = target()
    assert.deepEqual(platform.subscriptions.get('subscription-1')?.['item'], { quantity })
    const filters = platform.requests.map(({ url }) => new URL(url, platform.url).searchParams)
    assert.equal(filters.findLast((query) => query.has('email'))?.get('email'), 'client3@example.com')
  }

  return [
    {
      name: 'a client of openapi-typescript and openapi-fetch compiles and does what examples/clients/README.md shows',
      async run(context) {
        const manifest = new URL('package.json', sources)
        const packages = await npmPackages({ name: 'generated-clients', manifest }, context.cleanUp)
        // Below the packages, so that imports find them.
        const folder = join(packages, 'program')
        mkdirSync(folder, { recursive: true })
        const node = async (tool: string, ...args: string[]) =>
          context.run({
            file: process.execPath,
            arguments: [join(packages, 'node_modules', tool), ...args],
            folder,
            timeoutSeconds: 120,
          })
        const document = await servedDocument(context, folder)
        await node('openapi-typescript/bin/cli.js', document, '-o', 'longshore.d.ts')
        writeFileSync(join(folder, 'program.ts'), programAfterExample('TypeScript', 'program.ts.txt'))
        await node('typescript/bin/tsc', ...compilerOptions, 'program.ts')
        const program = join(folder, 'program.js')
        writeFileSync(program, `${localhostLookup.js}\n${readFileSync(program, 'utf8')}`)
        const printed = await context.run({
          file: process.execPath,
          arguments: [program],
          environment: environment(context),
          timeoutSeconds: 60,
        })
        assertUsed(printed, 5)
      },
    },
    {
      name: 'a client of openapi-python-client compiles and does what examples/clients/README.md shows',
      async run(context) {
        const printed = await python(context, {
          name: 'openapi-python-client',
          heading: 'Python with openapi-python-client',
          program: 'openapi_python_client.py',
          generate: (document) =>
            `generate --path ${document} --meta none --output-path longshore_client`.split(' '),
        })
        assertUsed(printed, 6)
      },
    },
    {
      name: 'a client of openapi-generator (python) compiles and does what examples/clients/README.md shows',
      async run(context) {
        const printed = await python(context, {
          name: 'openapi-generator-cli',
          heading: 'Python with openapi-generator',
          program: 'openapi_generator.py',
          generate: (document) =>
            `generate -g python -i ${document} -o . --package-name longshore_client`.split(' '),
        })
        assertUsed(printed, 7)
      },
    },
  ]
}

const compilerOptions =
  '--strict --noUncheckedIndexedAccess --noPropertyAccessFromIndexSignature --target es2022 --module nodenext --types node'.split(
    ' ',
  )
