import { type Area, areas } from '../../functions/platform/areas.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { CredentialsError, type CredentialsErrorKind } from '../../functions/upstream/errors.ts'
import { settingsOf } from '../../lib/config.ts'
import type { DeployedSchedule } from '../aws/schedules.aws.ts'
import { createSecretStore } from '../aws/secrets.aws.ts'
import { createStackStore, type StackStore } from '../aws/stacks.aws.ts'
import {
  type Deployment,
  describePlace,
  findDeployment,
  findStacks,
  type LocalTarget,
  readConfiguration,
  type StacksTarget,
  stackSuffixes,
} from '../deployment.ts'
import { readSchedules } from '../schedules.ts'
import { failureOf } from '../shell/errors.ts'
import type { Terminal } from '../shell/terminal.ts'
import { openSyncs } from '../syncs.ts'
import { areasOfSecret, type CredentialCheck, checkCredentials, reachPlatform } from './credential-check.ts'
import { changedIds, synthesize } from './drift.ts'

/** The result of one inspection, or why it failed. */
export type Inspected<T> = { readonly value: T } | { readonly failure: string }

export interface StackFact {
  readonly name: string
  /** CloudFormation's status; undefined if the stack does not exist. */
  readonly status: string | undefined
}

export interface CredentialsFact {
  readonly areas: readonly Area[]
  readonly state: 'set' | CredentialsErrorKind
  readonly detail: string
  readonly checks: readonly CredentialCheck[]
}

export type EntityFact = Awaited<ReturnType<ReturnType<typeof openSyncs>['list']>>['entities'][number]

/** What exists with or without a deployment. */
interface BasicFacts {
  readonly now: number
  readonly baseUrl: string
  readonly stacks: readonly StackFact[]
  readonly upstream: Inspected<{ status: number } | { failure: string }>
}

/** What can be inspected only if every stack exists. */
export interface DeployedFacts {
  readonly configured: readonly EntitySettings[]
  /** Logical ids of what a deployment would change, by stack. */
  readonly drift: Inspected<Readonly<Record<string, readonly string[]>>>
  readonly credentials: readonly Inspected<CredentialsFact>[]
  readonly schedules: Inspected<readonly DeployedSchedule[]>
  readonly entities: Inspected<readonly EntityFact[]>
}

/** Everything that the doctor inspects. */
export interface Facts extends BasicFacts {
  readonly deployed:
    | ({ readonly kind: 'complete' } & DeployedFacts)
    /** `place`: account and region. */
    | { readonly kind: 'incomplete'; readonly place: string }
}

/** What can be inspected of a running `npm start`, which has no stacks and no schedules. */
export interface LocalFacts extends Pick<BasicFacts, 'now' | 'baseUrl' | 'upstream'> {
  readonly apiUrl: string
  readonly credentials: readonly Inspected<CredentialsFact>[]
  readonly entities: Inspected<readonly EntityFact[]>
}

export async function gatherLocalFacts(target: LocalTarget, terminal: Terminal): Promise<LocalFacts> {
  const deployment = await findDeployment(target)
  const { apiUrl, configuration, now } = deployment
  const settings = settingsOf(configuration)
  const [upstream, credentials, entities] = await Promise.all([
    inspect(() => reachPlatform(settings)),
    inspectSecrets(deployment),
    inspect(async () => (await openSyncs(deployment, terminal).list()).entities),
  ])
  return { now: now(), baseUrl: settings.upstream.baseUrl, upstream, apiUrl, credentials, entities }
}

export async function gatherFacts(target: StacksTarget, terminal: Terminal): Promise<Facts> {
  const configuration = await readConfiguration(target)
  const settings = settingsOf(configuration)
  const store = createStackStore()
  const names = stackSuffixes.map((suffix) => configuration.name + suffix)
  const [stacks, upstream] = await Promise.all([
    Promise.all(names.map(async (name) => ({ name, status: (await store.read(name))?.status }))),
    inspect(() => reachPlatform(settings)),
  ])
  const isDeployed = stacks.every(({ status }) => status !== undefined)
  return {
    stacks,
    upstream,
    baseUrl: settings.upstream.baseUrl,
    deployed: isDeployed
      ? { kind: 'complete', ...(await gatherDeployed(target, { names, store, terminal })) }
      : { kind: 'incomplete', place: describePlace(await store.place()) },
    now: store.now(),
  }
}

async function gatherDeployed(
  target: StacksTarget,
  { names, store, terminal }: { names: readonly string[]; store: StackStore; terminal: Terminal },
): Promise<DeployedFacts> {
  const deployment = await findStacks(target, store)
  const { configuration } = deployment
  terminal.note('Inspecting the deployment and synthesizing the checkout. This takes some seconds.')
  const [drift, credentials, schedules, entities] = await Promise.all([
    inspect(() => findDrift(names, { target, store })),
    inspectSecrets(deployment),
    inspect(() => readSchedules(configuration.name, store)),
    inspect(async () => (await openSyncs(deployment, terminal).list()).entities),
  ])
  return { configured: configuration.entities, drift, credentials, schedules, entities }
}

/** A failed inspection must not hide the others. */
async function inspect<T>(read: () => Promise<T>): Promise<Inspected<T>> {
  try {
    return { value: await read() }
  } catch (error) {
    return { failure: failureOf(error).message }
  }
}

async function findDrift(
  names: readonly string[],
  { target, store }: { target: StacksTarget; store: StackStore },
) {
  const templates = await synthesize(names, target.config)
  const changes = await Promise.all(
    names.map(
      async (name) => [name, changedIds(await store.template(name), templates[name] ?? '{}')] as const,
    ),
  )
  return Object.fromEntries(changes.filter(([, ids]) => ids.length > 0))
}

function inspectSecrets(deployment: Deployment): Promise<Inspected<CredentialsFact>[]> {
  const ids = new Set(Object.values(deployment.secretIds))
  return Promise.all([...ids].map((id) => inspect(() => inspectSecret(id, deployment))))
}

async function inspectSecret(
  secretId: string,
  { secretIds, configuration }: Deployment,
): Promise<CredentialsFact> {
  const served = areasOfSecret(secretIds, secretId)
  const source = createSecretStore().credentials(Object.fromEntries(served.map((area) => [area, secretId])))
  try {
    await source.get(served[0] ?? areas[0])
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error
    return { areas: served, state: error.kind, detail: failureOf(error).message, checks: [] }
  }
  const checks = await checkCredentials(settingsOf(configuration), served, source)
  return { areas: served, state: 'set', detail: '', checks }
}
