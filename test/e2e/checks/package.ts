import assert from 'node:assert/strict'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

async function useConstruct(context: CheckContext): Promise<void> {
  const folder = join(context.folder, 'template')
  mkdirSync(folder)
  const environment = { PATH: pathWithOurNode(), CI: 'true', CDK_DISABLE_VERSION_CHECK: '1' }
  const execute = (file: string, ...args: readonly string[]) =>
    context.run({ file, arguments: args, folder, environment, timeoutSeconds: 300 })
  const init = ['init', 'app', '--language', 'typescript', '--generate-only']
  await execute(join(root, 'node_modules/.bin/cdk'), ...init)
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    peerDependencies: Readonly<Record<string, string>>
  }
  const oldest = Object.entries(peerDependencies).map(([name, range]) => `${name}@${range.replace('^', '')}`)
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
