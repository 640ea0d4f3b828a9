import { type Area, areas } from '../functions/platform/areas.ts'
import { type Configuration, loadConfig } from '../lib/config.ts'
import { createStackStore, type StackStore } from './aws/stacks.aws.ts'
import { CommandError } from './shell/errors.ts'

/** What a person says of which deployment is meant. */
export interface Target {
  readonly config: string | undefined
  /** Instead of the configuration's. */
  readonly name: string | undefined
}

/** What stands in the account, by the outputs of its stacks. */
export interface Deployment {
  readonly configuration: Configuration
  readonly apiUrl: string
  readonly bucket: string
  readonly table: string
  readonly stateMachineArn: string
  readonly secretIds: Readonly<Record<Area, string>>
}

export const stackEndings = ['Storage', 'Sync', 'Api', 'Monitoring'] as const

export async function readConfiguration({ config, name }: Target): Promise<Configuration> {
  const configuration = await loadConfig(config)
  return name === undefined ? configuration : { ...configuration, name }
}

/** Throws `ConfigurationError`, and `CommandError` if a stack is missing. */
export async function findDeployment(target: Target, stacks = createStackStore()): Promise<Deployment> {
  const configuration = await readConfiguration(target)
  return deploymentOf(configuration, await readOutputs(configuration.name, { stacks, target }))
}

/** `Storage.StateTableName` and so on. */
type Outputs = Readonly<Record<string, string>>

async function readOutputs(
  name: string,
  { stacks, target }: { stacks: StackStore; target: Target },
): Promise<Outputs> {
  const found = await Promise.all(
    (['Storage', 'Sync', 'Api'] as const).map(async (ending) => ({
      ending,
      stack: await stacks.read(name + ending),
    })),
  )
  const missing = found.filter(({ stack }) => stack === undefined).map(({ ending }) => name + ending)
  if (missing.length > 0) {
    throw new CommandError(`Not deployed in this account and region: ${missing.join(', ')}.`, {
      fix: deployCommand(target),
    })
  }
  return Object.fromEntries(
    found.flatMap(({ ending, stack }) =>
      Object.entries(stack?.outputs ?? {}).map(([output, value]) => [`${ending}.${output}`, value]),
    ),
  )
}

function deploymentOf(configuration: Configuration, outputs: Outputs): Deployment {
  const output = (name: string) => {
    const value = outputs[name]
    if (value) return value
    throw new CommandError(`The stacks have no output ${name}: the deployment is not complete.`, {
      fix: 'npm run deploy',
    })
  }
  return {
    configuration,
    apiUrl: output('Api.ApiUrl'),
    bucket: output('Storage.SnapshotBucketName'),
    table: output('Storage.StateTableName'),
    stateMachineArn: output('Sync.SyncStateMachineArn'),
    secretIds: Object.fromEntries(
      areas.map((area) => [area, configuration.credentials[area] ?? output('Storage.CredentialsSecretArn')]),
    ) as Record<Area, string>,
  }
}

/** A command of ours as one would type it for the same deployment. */
export function ourCommand({ config, name }: Target, words: string): string {
  return ['npx longshore', words, config && `--config ${config}`, name && `--name ${name}`]
    .filter(Boolean)
    .join(' ')
}

export function deployCommand({ config }: Target): string {
  return config ? `npm run deploy -- -c config=${config}` : 'npm run deploy'
}
