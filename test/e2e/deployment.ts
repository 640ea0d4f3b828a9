import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CloudFormationClient, UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation'
import type { ConfigurationInput } from '../../lib/config.ts'
import type { CleanUp } from '../clean-up.ts'
import { pathWithOurNode, run } from '../processes.ts'
import { account, type Emulator, region, rootCredentials } from './emulator.ts'

/** The stacks in the emulated account. */
export interface Deployment {
  readonly name: string
  readonly apiUrl: string
  readonly bucket: string
  readonly table: string
  readonly secretArn: string
  readonly stateMachineArn: string
  /** The configuration file of the CDK app and the command line. */
  readonly configurationFile: string
  /** Folder of the CDK's latest output: templates and code. */
  readonly assembly: string
  /** Deploys again with these changes to the configuration and returns the CDK's output. */
  deployAgain(changes?: Partial<ConfigurationInput>): Promise<string>
  /** Allows the Storage stack to be destroyed. */
  unprotect(): Promise<void>
  /** Destroys all stacks and returns the CDK's output. */
  destroy(): Promise<string>
}

export interface DeploymentOptions {
  readonly emulator: Emulator
  readonly folder: string
  readonly cleanUp: CleanUp
  /** The checkout whose app is deployed first; this one by default, and in later deployments. */
  readonly checkout?: string | undefined
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const cdk = join(root, 'node_modules/.bin/cdk')

/** Bootstraps the account, once before the first deployment. */
export async function bootstrap(options: DeploymentOptions): Promise<void> {
  await timed('cdk bootstrap', () =>
    run(
      {
        file: cdk,
        // Bootstrapping needs no app.
        arguments: ['bootstrap', `aws://${account}/${region}`, '--app', ''],
        environment: environmentOf(options),
      },
      options.cleanUp,
    ),
  )
}

/** Deploys the bundle. Deployments with different names can exist at the same time. */
export async function deployLongshore(
  options: DeploymentOptions,
  configuration: ConfigurationInput,
): Promise<Deployment> {
  const { folder, cleanUp } = options
  const { name = 'Longshore' } = configuration
  const configurationFile = join(folder, `${name}.json`)
  const outputsFile = join(folder, `${name}.outputs.json`)
  const assembly = join(folder, `${name}.cdk.out`)
  const context = ['-c', `config=${configurationFile}`, '-o', assembly]
  const environment = environmentOf(options)
  let checkout = options.checkout ?? root
  const callCdk = (...args: string[]) =>
    run({ file: cdk, arguments: [...args, ...context], environment, folder: checkout }, cleanUp)
  let current = configuration
  const deploy = (changes: Partial<ConfigurationInput> = {}) => {
    current = { ...current, ...changes }
    writeFileSync(configurationFile, JSON.stringify(current))
    return callCdk('deploy', '--all', '--require-approval', 'never', '--outputs-file', outputsFile)
  }

  await timed(`cdk deploy of ${name}`, () => deploy())
  checkout = root
  const output = readOutputs(outputsFile)
  return {
    name,
    apiUrl: output(`${name}Api`, 'ApiUrl'),
    bucket: output(`${name}Storage`, 'SnapshotBucketName'),
    table: output(`${name}Storage`, 'StateTableName'),
    secretArn: output(`${name}Storage`, 'CredentialsSecretArn'),
    stateMachineArn: output(`${name}Sync`, 'SyncStateMachineArn'),
    configurationFile,
    assembly,
    deployAgain: deploy,
    unprotect: () => unprotect(`${name}Storage`, options.emulator),
    destroy: () => callCdk('destroy', '--all', '--force'),
  }
}

async function unprotect(stack: string, { url }: Emulator): Promise<void> {
  const client = new CloudFormationClient({ endpoint: url, region, credentials: rootCredentials })
  const update = { StackName: stack, EnableTerminationProtection: false }
  await client.send(new UpdateTerminationProtectionCommand(update)).finally(() => client.destroy())
}

function environmentOf({ emulator, folder }: DeploymentOptions): Record<string, string> {
  return {
    ...emulator.environment,
    PATH: pathWithOurNode(),
    TMPDIR: folder,
    CI: 'true',
    CDK_DISABLE_VERSION_CHECK: '1',
  }
}

function readOutputs(file: string): (stack: string, name: string) => string {
  const outputs = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>
  return (stack, name) => {
    const value = outputs[stack]?.[name]
    if (!value) throw new Error(`The stack ${stack} has no output ${name}.`)
    return value
  }
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = Date.now()
  await work()
  console.log(`      ${what}, ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
}
