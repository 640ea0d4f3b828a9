import { type Area, areasWith } from '../../functions/platform/areas.ts'
import { localCommandLine, longshoreCommandLine } from '../../functions/runtime/command-line.ts'
import { pick } from '../../functions/runtime/pick.ts'
import { type Configuration, loadConfig } from '../../lib/config.ts'
import { createStackStore, type DeployedStack, type StackStore } from '../aws/stacks.aws.ts'
import { CommandError } from '../errors.ts'
import { shellWord } from '../text/shell-word.ts'
import { suggestion } from '../text/suggestion.ts'
import { requireAwsAccess } from './access.aws.ts'
import { defaultInstancePath, localVariable } from './local-address.ts'
import { findLocalInstance, type LocalInstance, useLocalServices } from './local-instance.ts'
import { type PlannedSchedule, plannedSchedules } from './planned-schedules.ts'

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
  /** The file that `npm start` wrote. */
  readonly path: string
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
  /** What `npm start` runs. Those of stacks are in the account: undefined. */
  readonly schedules: readonly PlannedSchedule[] | undefined
  /** Epoch milliseconds by AWS's clock: the operator's clock may be wrong. */
  readonly now: () => number
}

export const stackSuffixes = ['Storage', 'Sync', 'Api', 'Monitoring'] as const

/** Throws `ConfigurationError`. */
export const readConfiguration = ({ config, name }: StacksTarget): Promise<Configuration> =>
  loadConfig(config, { name })

/**
 * Throws `ConfigurationError`, and `CommandError` if a stack or an output is missing or `npm start` is not running. For a
 * local target, AWS clients that are created afterwards use the embedded services.
 */
export async function findDeployment(target: Target): Promise<Deployment> {
  if (target.kind === 'stacks') {
    // Errors of the configuration come first: they need no account.
    await readConfiguration(target)
    await requireAwsAccess()
    return findStacks(target, createStackStore())
  }
  const instance = await findLocalInstance(target.path)
  useLocalServices(instance)
  return { ...localDeployment(instance), now: () => Date.now() + instance.aheadMs }
}

/** The deployment of a running `npm start`. */
export function localDeployment(instance: LocalInstance): Deployment {
  const { configuration, secretId, logFile, schedulesSince } = instance
  return {
    kind: 'local',
    ...pick(instance, 'configuration', 'apiUrl', 'bucket', 'table', 'stateMachineArn'),
    secretIds: Object.fromEntries(areasWith(configuration.endpoints).map((area) => [area, secretId])),
    log: { kind: 'file', path: logFile },
    schedules: plannedSchedules(configuration, Date.parse(schedulesSince)),
    now: Date.now,
  }
}

/** Throws `ConfigurationError`, and `CommandError` if a stack or an output is missing. */
async function findStacks(target: StacksTarget, store: StackStore): Promise<Deployment> {
  const configuration = await readConfiguration(target)
  const { name } = configuration
  const stacks = await readStacks(name, suffixesWithOutputs, store)
  const missing = suffixesWithOutputs.map((suffix) => name + suffix).filter((stack) => !stacks.has(stack))
  if (missing.length > 0) {
    const place = describePlace(await store.location())
    const fix = notDeployedFix(target, stacks.size === 0 ? 'none' : 'some')
    throw new CommandError(`Not deployed in ${place}: ${missing.join(', ')}.`, { fix })
  }
  const output = outputReader(name, stacks, target)
  return {
    kind: 'stacks',
    configuration,
    apiUrl: output('Api.ApiUrl'),
    bucket: output('Storage.SnapshotBucketName'),
    table: output('Storage.StateTableName'),
    stateMachineArn: output('Sync.SyncStateMachineArn'),
    secretIds: secretIdsOf(configuration, output),
    log: { kind: 'groups', stacks: name },
    schedules: undefined,
    now: store.now,
  }
}

const suffixesWithOutputs = ['Storage', 'Sync', 'Api'] as const

/** The stacks that exist, by name. */
export type DeployedStacks = ReadonlyMap<string, DeployedStack>

export async function readStacks(
  name: string,
  suffixes: readonly string[],
  store: StackStore,
): Promise<DeployedStacks> {
  const read = async (stack: string) => [stack, await store.read(stack)] as const
  const stacks = await Promise.all(suffixes.map((suffix) => read(name + suffix)))
  return new Map(stacks.flatMap(([stack, deployed]) => (deployed ? [[stack, deployed] as const] : [])))
}

/** Something needs a stack that does not exist. */
export class NotDeployed extends Error {
  override readonly name = 'NotDeployed'
}

type ReadOutput = (output: string) => string

/** Reads an output by stack suffix and name, such as `Storage.StateTableName`. Throws `NotDeployed` and `CommandError`. */
export function outputReader(name: string, stacks: DeployedStacks, target: StacksTarget): ReadOutput {
  return (output) => {
    const [suffix = '', key = ''] = output.split('.')
    const stack = stacks.get(name + suffix)
    if (!stack) throw new NotDeployed(`${name}${suffix} is not deployed.`)
    const value = stack.outputs[key]
    if (value) return value
    const fix = deployCommand(target)
    throw new CommandError(`The stacks have no output ${output}. The deployment is incomplete.`, { fix })
  }
}

export function secretIdsOf(
  { credentials, endpoints }: Configuration,
  output: ReadOutput,
): Record<Area, string> {
  const idOf = (area: Area) => credentials[area] ?? output('Storage.CredentialsSecretArn')
  return Object.fromEntries(areasWith(endpoints).map((area) => [area, idOf(area)]))
}

/** `account 111122223333, region eu-west-1` */
export const describePlace = ({ account, region }: Awaited<ReturnType<StackStore['location']>>): string =>
  account ? `account ${account}, region ${region}` : `region ${region}`

/** If no stack exists, the commands probably look in the wrong place. */
export function notDeployedFix(target: StacksTarget, existing: 'none' | 'some'): string {
  const deploy = deployCommand(target)
  if (existing === 'some') return deploy
  return `is this the right account and region? If not, set AWS_PROFILE and AWS_REGION. If it is, deploy: ${deploy}`
}

interface Named {
  readonly name: string
}

/** The part of a configuration by which an entity is known to be configured. */
export interface Entities<Entity extends Named = Named> {
  readonly entities: readonly Entity[]
}

/** Throws `CommandError` with the configured entities, and the one that was probably meant. */
export function requireEntity<Entity extends Named>({ entities }: Entities<Entity>, entity: string): Entity {
  const found = entities.find(({ name }) => name === entity)
  if (found) return found
  const names = entities.map(({ name }) => name)
  const meant = `${suggestion(entity, names)} Entities: ${names.join(', ') || 'none'}`
  throw new CommandError(`The entity ${entity} is not configured.${meant}.`)
}

/** What publishes a new snapshot of an entity that may have been removed from the configuration. */
export function syncFix({ entities }: Entities, entity: string, target: Target): string {
  const sync = longshoreCommand(target, `sync ${entity} --watch`)
  if (entities.some(({ name }) => name === entity)) return sync
  return `configure ${entity} again and deploy, then run ${sync}; or delete its data: ${longshoreCommand(target, `purge ${entity}`)}`
}

/** A `longshore` command line for the same deployment. */
export function longshoreCommand(target: Target, words: string): string {
  if (target.kind === 'local') {
    return target.path === defaultInstancePath
      ? `${localCommandLine} ${words}`
      : `${localVariable}=${shellWord(target.path)} ${longshoreCommandLine} ${words}`
  }
  const { config, name } = target
  return [longshoreCommandLine, words, config && `--config ${config}`, name && `--name ${name}`]
    .filter(Boolean)
    .join(' ')
}

export const deployCommand = (target: Configured): string => cdkCommand(target, 'deploy')

/** The npm script that runs `cdk` for the same configuration. */
export function cdkCommand(target: Configured, script: 'deploy' | 'synth'): string {
  const flags = contextFlags(target)
  return [`npm run ${script}`, ...(flags.length > 0 ? ['--', ...flags] : [])].join(' ')
}

type Configured = Pick<StacksTarget, 'config' | 'name'>

/** The flags of `cdk` for the same configuration. */
export function contextFlags({ config, name }: Configured): string[] {
  return [
    ...(config === undefined ? [] : ['-c', `config=${config}`]),
    ...(name === undefined ? [] : ['-c', `name=${name}`]),
  ]
}
