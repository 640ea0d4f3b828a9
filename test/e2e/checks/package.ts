import assert from 'node:assert/strict'
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npmPackages } from '../../npm-packages.ts'
import { pathWithOurNode } from '../../processes.ts'
import type { Check } from '../check.ts'
import type { CheckContext } from '../context.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The project that the other checks of the command line use: an empty folder with the packed package. */
export const projectOf = ({ folder }: CheckContext) => join(folder, 'project')

/** The packed package in a project of its own, and in the app that the CDK's own template makes. */
export const packageChecks: Check[] = [
  {
    name: 'the package is installed into an empty folder, and init makes it a project',
    run: installPackage,
  },
  {
    name: "the construct compiles, is tested with Jest and synthesizes in the app of cdk init, with the oldest CDK that the package's peers allow",
    run: useConstruct,
  },
  ...(['pnpm', 'yarn 1', 'yarn 4', "yarn 4 with Plug'n'Play"] as const).map((name) => ({
    name: `${name} installs the package, init makes the folder a project, and the project synthesizes and starts`,
    run: (context: CheckContext) => usePackageManager(context, name),
  })),
]

/** Packs this checkout, installs the package and writes the project's files, as the README describes. */
async function installPackage(context: CheckContext): Promise<void> {
  const folder = projectOf(context)
  mkdirSync(folder)
  const npm = (args: readonly string[], from: string) =>
    context.run({ file: 'npm', arguments: args, folder: from })
  await npm(['pack', '--silent', '--pack-destination', folder], root)
  await npm(['install', '--prefer-offline', tarballIn(folder)], folder)
  const responses = ['--base-url', context.platform.url, '--entities', 'CL']
  await context.run({ file: 'npx', arguments: ['--no-install', 'longshore', 'init', ...responses], folder })
  await npm(['install', '--prefer-offline'], folder)
}

const tarballIn = (folder: string) => join(folder, globSync('*.tgz', { cwd: folder })[0] ?? '')

const stack = `import * as cdk from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { Longshore } from '@longshore/longshore';

export class TemplateStack extends cdk.Stack {
  readonly longshore: Longshore;
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);
    this.longshore = new Longshore(cdk.Stage.of(this)!, 'Longshore', {
      upstream: { baseUrl: 'https://shop.example.com' },
      entities: [{ name: 'CL', schedule: 'rate(6 hours)' }],
    });
  }
}
`
const test = `import * as cdk from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { TemplateStack } from '../lib/template-stack';

test('the bucket of snapshots keeps versions', () => {
  const { longshore } = new TemplateStack(new cdk.App(), 'Test');
  const template = Template.fromStack(cdk.Stack.of(longshore.bucket));
  template.hasResourceProperties('AWS::S3::Bucket', { VersioningConfiguration: { Status: 'Enabled' } });
});
`

const managers = {
  pnpm: { program: 'pnpm/bin/pnpm.mjs', files: {} },
  'yarn 1': { program: 'yarn/bin/yarn.js', files: {} },
  'yarn 4': {
    program: '@yarnpkg/cli-dist/bin/yarn.js',
    files: { 'yarn.lock': '', '.yarnrc.yml': 'nodeLinker: node-modules\n' },
  },
  "yarn 4 with Plug'n'Play": {
    program: '@yarnpkg/cli-dist/bin/yarn.js',
    files: { 'yarn.lock': '', '.yarnrc.yml': 'nodeLinker: pnp\n' },
  },
} as const

async function usePackageManager(context: CheckContext, name: keyof typeof managers): Promise<void> {
  const { program, files } = managers[name]
  const manifest = new URL('../package-managers/package.json', import.meta.url)
  const packages = await npmPackages({ name: 'package-managers', manifest }, context.cleanUp)
  const folder = join(context.folder, name.replaceAll(/\W/g, '-'))
  const programs = join(folder, '.programs')
  mkdirSync(programs, { recursive: true })
  const [command = ''] = name.split(' ')
  const file = join(programs, command)
  writeFileSync(file, `#!/bin/sh\nexec node '${join(packages, 'node_modules', program)}' "$@"\n`)
  chmodSync(file, 0o755)
  // The oldest CDK of the peers: Yarn does not install newer ones from registries that lack what they bundle.
  const dependencies = { ...oldestPeers(), '@longshore/longshore': `file:${tarballIn(projectOf(context))}` }
  const texts = { ...files, 'package.json': JSON.stringify({ name: 'shop', private: true, dependencies }) }
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(folder, path), text)
  const environment = {
    PATH: [programs, pathWithOurNode()].join(delimiter),
    CDK_DISABLE_VERSION_CHECK: '1',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    // pnpm otherwise does not change its lock file in CI.
    pnpm_config_frozen_lockfile: 'false',
  }
  const execute = (...args: readonly string[]) =>
    context.run({ file, arguments: args, folder, environment, timeoutSeconds: 300 })
  await execute('install')
  const responses = ['--base-url', context.platform.url, '--entities', 'CL']
  await execute(command === 'pnpm' ? 'exec' : 'run', 'longshore', 'init', ...responses)
  await execute('install')
  await execute('run', 'synth')
  assert.ok(globSync('cdk.out/*Sync*.template.json', { cwd: folder }).length > 0)
  await execute('run', 'start', '--once', '--port', '0')
}

function oldestPeers(): Readonly<Record<string, string>> {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    peerDependencies: Readonly<Record<string, string>>
  }
  return Object.fromEntries(
    Object.entries(peerDependencies).map(([name, range]) => [name, range.replace('^', '')]),
  )
}

async function useConstruct(context: CheckContext): Promise<void> {
  const folder = join(context.folder, 'template')
  mkdirSync(folder)
  const environment = { PATH: pathWithOurNode(), CI: 'true', CDK_DISABLE_VERSION_CHECK: '1' }
  const execute = (file: string, ...args: readonly string[]) =>
    context.run({ file, arguments: args, folder, environment, timeoutSeconds: 300 })
  const init = ['init', 'app', '--language', 'typescript', '--generate-only']
  await execute(join(root, 'node_modules/.bin/cdk'), ...init)
  const oldest = Object.entries(oldestPeers()).map(([name, version]) => `${name}@${version}`)
  await execute(
    'npm',
    'install',
    '--prefer-offline',
    '--save-exact',
    ...oldest,
    tarballIn(projectOf(context)),
  )
  assert.deepEqual(globSync('lib/*.ts', { cwd: folder }), ['lib/template-stack.ts'])
  writeFileSync(join(folder, 'lib/template-stack.ts'), stack)
  writeFileSync(join(folder, 'test/template.test.ts'), test)
  const jest = join(folder, 'jest.config.js')
  // The oldest CDK does not have this helper of the newest template.
  writeFileSync(jest, readFileSync(jest, 'utf8').replace(/^.*jest-autoclean.*\n/m, ''))
  await execute('npx', 'tsc')
  await execute('npx', 'jest')
  await execute('npx', 'cdk', 'synth', '--quiet')
  assert.ok(globSync('cdk.out/*Sync*.template.json', { cwd: folder }).length > 0)
}
