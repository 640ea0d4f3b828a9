import { type Area, areas } from '../functions/platform/areas.ts'
import { type Configuration, loadConfig } from '../lib/config.ts'
import { createStackStore, type StackStore } from './aws/stacks.aws.ts'
import type { LocalAddress } from './local/address.ts'
import { findLocalInstance, type LocalInstance, useLocalServices } from './local/instance.ts'
import { CommandError } from './shell/errors.ts'
import { suggestion } from './shell/suggestion.ts'

/** What a command operates on: stacks in an AWS account, or a running `npm start`. */
export type Target = StacksTarget | LocalTarget

export interface StacksTarget {
  readonly kind: 'stacks'
  readonly config: string | undefined
  /** Replaces the configuration's name. */
  readonly name: string | undefined
}

export interface LocalTarget {
  readonly kind: 'local'
  readonly address: LocalAddress
}

/** A deployment, located by the outputs of its stacks, or a running `npm start`. */
export interface Deployment {
  readonly kind: Target['kind']
  readonly configuration: Configuration
  readonly apiUrl: string
  readonly bucket: string
  readonly table: string
  readonly stateMachineArn: string
  readonly secretIds: Readonly<Record<Area, string>>
  /** Where the functions log: groups of these stacks, or a file. `stacks` is the prefix of their names. */
  readonly log:
    | { readonly kind: 'groups'; readonly stacks: string }
    | { readonly kind: 'file'; readonly path: string }
  /** Epoch milliseconds by the clock of AWS: the operator's clock may be wrong. */
  readonly now: () => number
}

export const stackSuffixes = ['Storage', 'Sync', 'Api', 'Monitoring'] as const

export async function readConfiguration({ config, name }: StacksTarget): Promise<Configuration> {
  const configuration = await loadConfig(config)
  return name === undefined ? configuration : { ...configuration, name }
}

/**
 * Throws `ConfigurationError`, and `CommandError` if a stack or an output is missing or `npm start` is not running. For a
 * local target, AWS clients that are created afterwards use the embedded services.
 */
export async function findDeployment(target: Target): Promise<Deployment> {
  if (target.kind === 'stacks') return findStacks(target)
  const instance = await findLocalInstance(target.address)
  useLocalServices(instance)
  return localDeployment(instance)
}

/** The deployment of a running `npm start`. */
export function localDeployment(instance: LocalInstance): Deployment {
  const { configuration, apiUrl, bucket, table, stateMachineArn, secretId, logFile } = instance
  return {
    kind: 'local',
    configuration,
    apiUrl,
    bucket,
    table,
    stateMachineArn,
    secretIds: Object.fromEntries(areas.map((area) => [area, secretId])) as Record<Area, string>,
    log: { kind: 'file', path: logFile },
    now: Date.now,
  }
}

/** Throws `ConfigurationError`, and `CommandError` if a stack or an output is missing. */
export async function findStacks(target: StacksTarget, stacks = createStackStore()): Promise<Deployment> {
  const configuration = await readConfiguration(target)
  const output = await outputReader(configuration.name, { stacks, target })
  return {
    kind: 'stacks',
    configuration,
    apiUrl: output('Api.ApiUrl'),
    bucket: output('Storage.SnapshotBucketName'),
    table: output('Storage.StateTableName'),
    stateMachineArn: output('Sync.SyncStateMachineArn'),
    secretIds: Object.fromEntries(
      areas.map((area) => [area, configuration.credentials[area] ?? output('Storage.CredentialsSecretArn')]),
    ) as Record<Area, string>,
    log: { kind: 'groups', stacks: configuration.name },
    now: stacks.now,
  }
}

const suffixesWithOutputs = ['Storage', 'Sync', 'Api'] as const

/** Returns a function that reads an output by stack suffix and name, such as `Storage.StateTableName`. */
async function outputReader(
  name: string,
  { stacks, target }: { stacks: StackStore; target: StacksTarget },
): Promise<(output: string) => string> {
  const deployed = await Promise.all(
    suffixesWithOutputs.map(async (suffix) => ({ suffix, stack: await stacks.read(name + suffix) })),
  )
  const missing = deployed.filter(({ stack }) => stack === undefined).map(({ suffix }) => name + suffix)
  if (missing.length > 0) {
    throw new CommandError(`Not deployed in ${describePlace(await stacks.place())}: ${missing.join(', ')}.`, {
      fix: notDeployedFix(target),
    })
  }
  const values = new Map<string, string>(
    deployed.flatMap(({ suffix, stack }) =>
      Object.entries(stack?.outputs ?? {}).map(([output, value]) => [`${suffix}.${output}`, value] as const),
    ),
  )
  return (output) => {
    const value = values.get(output)
    if (value) return value
    throw new CommandError(`The stacks have no output ${output}. The deployment is incomplete.`, {
      fix: deployCommand(target),
    })
  }
}

type Place = Awaited<ReturnType<StackStore['place']>>

/** `account 111122223333, region eu-west-1` */
export function describePlace({ account, region }: Place): string {
  return account ? `account ${account}, region ${region}` : `region ${region}`
}

export function notDeployedFix(target: StacksTarget): string {
  return `check that AWS_PROFILE and AWS_REGION are right, or deploy: ${deployCommand(target)}`
}

/** Throws `CommandError` with the configured entities, and the one that was probably meant. */
export function requireEntity({ entities }: Configuration, entity: string): void {
  const names = entities.map(({ name }) => name)
  if (names.includes(entity)) return
  const meant = suggestion(entity, names)
  throw new CommandError(
    `The entity ${entity} is not configured.${meant} Entities: ${names.join(', ') || 'none'}.`,
  )
}

/** A `longshore` command line for the same deployment. */
export function longshoreCommand(target: Target, words: string): string {
  if (target.kind === 'local') return `npx longshore --local ${words}`
  const { config, name } = target
  return ['npx longshore', words, config && `--config ${config}`, name && `--name ${name}`]
    .filter(Boolean)
    .join(' ')
}

export function deployCommand(
  { config }: Pick<StacksTarget, 'config'>,
  flags: readonly string[] = [],
): string {
  const all = [...(config ? [`-c config=${config}`] : []), ...flags]
  return ['npm run deploy', ...(all.length > 0 ? ['--', ...all] : [])].join(' ')
}
