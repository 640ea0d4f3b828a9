import { type Area, areas } from '../../functions/platform/areas.ts'
import { CredentialsError, type CredentialsErrorKind } from '../../functions/upstream/errors.ts'
import { settingsOf } from '../../lib/config.ts'
import { type FoundSchedule, scheduleReader } from '../aws/schedules.aws.ts'
import { createSecretStore } from '../aws/secrets.aws.ts'
import { createStackStore, type StackStore } from '../aws/stacks.aws.ts'
import {
  type Deployment,
  findDeployment,
  readConfiguration,
  stackEndings,
  type Target,
} from '../deployment.ts'
import { failureOf } from '../shell/errors.ts'
import type { Terminal } from '../shell/terminal.ts'
import { openSyncs } from '../syncs.ts'
import { areasOfSecret, type CredentialCheck, checkCredentials, reach } from './credential-check.ts'
import { changedParts, synthesise } from './drift.ts'

/** An answer, or why it could not be had. */
export type Asked<T> = { readonly known: T } | { readonly failed: string }

export interface StackFact {
  readonly name: string
  /** CloudFormation's word; undefined if there is no such stack. */
  readonly status: string | undefined
}

export interface CredentialsFact {
  readonly areas: readonly Area[]
  readonly state: 'set' | CredentialsErrorKind
  readonly detail: string
  readonly trials: readonly CredentialCheck[]
}

type EntityFact = Awaited<ReturnType<ReturnType<typeof openSyncs>['list']>>['entities'][number]

/** All that the doctor looks at. What needs a whole deployment is missing without one. */
export interface Facts {
  readonly now: number
  readonly baseUrl: string
  readonly stacks: readonly StackFact[]
  readonly upstream: Asked<{ status: number } | { failure: string }>
  /** What a deployment would change, by stack. */
  readonly changes?: Asked<Readonly<Record<string, readonly string[]>>>
  readonly credentials?: readonly Asked<CredentialsFact>[]
  readonly schedules?: Asked<readonly FoundSchedule[]>
  readonly entities?: Asked<readonly EntityFact[]>
}

export async function gatherFacts(target: Target, terminal: Terminal): Promise<Facts> {
  const configuration = await readConfiguration(target)
  const settings = settingsOf(configuration)
  const store = createStackStore()
  const names = stackEndings.map((ending) => configuration.name + ending)
  const [stacks, upstream] = await Promise.all([
    Promise.all(names.map(async (name) => ({ name, status: (await store.read(name))?.status }))),
    ask(() => reach(settings)),
  ])
  const facts = { now: Date.now(), baseUrl: settings.upstream.baseUrl, stacks, upstream }
  if (stacks.some(({ status }) => status === undefined)) return facts
  const deployment = await findDeployment(target, store)
  const [changes, credentials, schedules, entities] = await Promise.all([
    ask(() => findChanges(names, { target, store })),
    Promise.all(
      [...new Set(Object.values(deployment.secretIds))].map((id) => ask(() => lookAtSecret(id, deployment))),
    ),
    ask(() => findSchedules(`${configuration.name}Sync`, store)),
    ask(async () => (await openSyncs(deployment, terminal).list()).entities),
  ])
  return { ...facts, now: Date.now(), changes, credentials, schedules, entities }
}

/** One thing that may not be looked at must not hide all others. */
async function ask<T>(question: () => Promise<T>): Promise<Asked<T>> {
  try {
    return { known: await question() }
  } catch (error) {
    return { failed: failureOf(error).message }
  }
}

async function findChanges(
  names: readonly string[],
  { target, store }: { target: Target; store: StackStore },
) {
  const templates = await synthesise(names, target.config)
  const changes = await Promise.all(
    names.map(
      async (name) => [name, changedParts(await store.template(name), templates[name] ?? '{}')] as const,
    ),
  )
  return Object.fromEntries(changes.filter(([, parts]) => parts.length > 0))
}

async function lookAtSecret(
  secretId: string,
  { secretIds, configuration }: Deployment,
): Promise<CredentialsFact> {
  const served = areasOfSecret(secretIds, secretId)
  const source = createSecretStore().credentials(Object.fromEntries(served.map((area) => [area, secretId])))
  try {
    await source.get(served[0] ?? areas[0])
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error
    return { areas: served, state: error.kind, detail: failureOf(error).message, trials: [] }
  }
  return {
    areas: served,
    state: 'set',
    detail: '',
    trials: await checkCredentials(settingsOf(configuration), served, source),
  }
}

async function findSchedules(stack: string, store: StackStore): Promise<FoundSchedule[]> {
  const names = await store.resources(stack, 'AWS::Scheduler::Schedule')
  const read = scheduleReader()
  const found: FoundSchedule[] = []
  // Ten at a time: the service gives an account some dozens of reads a second.
  for (let at = 0; at < names.length; at += 10) {
    found.push(...(await Promise.all(names.slice(at, at + 10).map(read))))
  }
  return found
}
