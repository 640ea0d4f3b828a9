import { isDeepStrictEqual } from 'node:util'
import { type ReadFacts, readFacts, withoutSchedules } from '../../functions/problems/read-facts.ts'
import { AddressError, parseAddress } from '../../functions/runtime/receiver-address.ts'
import { CredentialsError } from '../../functions/upstream/exchange.ts'
import { type Configuration, settingsOf } from '../../lib/config.ts'
import { areasOfSecret, checkCredentials, reachPlatform } from '../access/check.ts'
import { readFunctionCode } from '../aws/functions.aws.ts'
import { openObjectKeys } from '../aws/object-keys.aws.ts'
import { createSecretStore } from '../aws/secrets.aws.ts'
import { createStackStore, type StackStore } from '../aws/stacks.aws.ts'
import { requireAwsAccess } from '../deployment/access.aws.ts'
import {
  type DeployedStacks,
  type Deployment,
  describePlace,
  findDeployment,
  type LocalTarget,
  NotDeployed,
  outputReader,
  readConfiguration,
  readStacks,
  type StacksTarget,
  secretIdsOf,
  stackSuffixes,
} from '../deployment/deployment.ts'
import { compareSchedules, type ScheduleFact } from '../deployment/schedules.ts'
import { failureOf, isAccessDenied } from '../errors.ts'
import { lookContext } from '../problems/look.ts'
import { knownSchedules } from '../problems/schedule-state.ts'
import type { Reporter } from '../reporter.ts'
import { bucketOf, type CodeFact, type FunctionCode, filesOfArchive } from './code.ts'
import { readIncrements, readReports } from './entity-checks.ts'
import type { AlertFact, CredentialsFact, DoctorFacts, Inspected, LocalFacts } from './facts.ts'
import { createInspections, inspect } from './inspect.ts'
import { type EncryptedEntity, readEncryption } from './read-encryption.ts'
import { driftOf, synthesize } from './synthesize.ts'

export async function gatherLocalFacts(target: LocalTarget): Promise<LocalFacts> {
  const deployment = await findDeployment(target)
  const { apiUrl, configuration, bucket, now } = deployment
  const settings = settingsOf(configuration)
  const look = inspect(() => readFacts(lookContext(deployment, withoutSchedules)))
  const facts = await allOf({
    upstream: inspect(() => reachPlatform(settings)),
    credentials: inspectSecrets(deployment),
    alerts: inspectAlerts(configuration),
    look,
    increments: inspect(async () => readIncrements(bucket, entitiesOf(await look))),
    reports: inspect(async () => readReports(bucket, entitiesOf(await look))),
  })
  return { now: now(), baseUrl: settings.upstream.baseUrl, apiUrl, ...facts }
}

/** A finding of its own reports that they cannot be read. */
const entitiesOf = (look: Inspected<ReadFacts>) => ('value' in look ? look.value.entities : [])

const storedEntities = (look: Inspected<ReadFacts>): EncryptedEntity[] =>
  entitiesOf(look).map(({ settings: { name }, state: { latest } }) => ({ name, runId: latest?.runId }))

/** The values of promises, by their names. */
async function allOf<T extends object>(
  promises: { readonly [Name in keyof T]: Promise<T[Name]> },
): Promise<T> {
  const entries = Object.entries<Promise<unknown>>(promises)
  return Object.fromEntries(await Promise.all(entries.map(async ([name, value]) => [name, await value]))) as T
}

const inspections = [
  'stacks',
  'platform',
  'drift',
  'credentials',
  'schedules',
  'entities',
  'encryption',
] as const

export async function gatherFacts(target: StacksTarget, reporter: Reporter): Promise<DoctorFacts> {
  const configuration = await readConfiguration(target)
  const { name } = configuration
  const settings = settingsOf(configuration)
  await requireAwsAccess()
  const store = createStackStore()
  const checks = createInspections(reporter, inspections)
  const reading = checks.run('stacks', () => inspect(() => readStacks(name, stackSuffixes, store)))
  // Without the stacks, nothing is known about what they contain. A separate finding reports that they are missing.
  const stacks = async () => valueOr(await reading, new Map())
  const output = async () => outputReader(name, await stacks(), target)

  const schedules = async () => {
    const stateMachineArn = (await output())('Sync.SyncStateMachineArn')
    return compareSchedules({ name, stateMachineArn }, store)
  }
  const credentials = async () => {
    const ids = await inspect(async () => secretIdsOf(configuration, await output()))
    return 'value' in ids ? inspectSecrets({ configuration, secretIds: ids.value }) : [ids]
  }
  const synthesized = stacks().then((found) => readBoth([...found.keys()], { target, store }))
  // Each inspection that needs it reports its failure.
  synthesized.catch(() => undefined)
  const drift = async () => {
    const { templates, deployed } = await synthesized
    return driftOf(deployed, templates)
  }
  const code = async () => readCode(await synthesized, store)

  const network = async () => {
    const vpcId = configuration.network?.vpcId
    const deployedAt = (await stacks()).get(`${name}Sync`)?.deployedAt
    return vpcId && deployedAt ? { vpcId, deployedAt } : undefined
  }

  const bucket = async () => (await output())('Storage.SnapshotBucketName')
  const scheduled = checks.run('schedules', () => inspect(schedules))
  const look = checks.run('entities', () =>
    inspect(async () => {
      const deployment = {
        configuration,
        bucket: await bucket(),
        table: (await output())('Storage.StateTableName'),
        now: store.now,
      }
      const known = valueOr<readonly ScheduleFact[] | undefined>(await scheduled, undefined)
      return readFacts(lookContext(deployment, knownSchedules(known, target)))
    }),
  )
  const facts = await allOf({
    upstream: checks.run('platform', () => inspect(() => reachPlatform(settings))),
    drift: checks.run('drift', () => inspect(drift)),
    code: inspect(code),
    credentials: checks.run('credentials', credentials),
    alerts: inspectAlerts(configuration),
    schedules: scheduled,
    look,
    increments: inspect(async () => readIncrements(await bucket(), entitiesOf(await look))),
    reports: inspect(async () => readReports(await bucket(), entitiesOf(await look))),
    encryption: checks.run('encryption', () =>
      inspect(async () => readEncryption(openObjectKeys(await bucket()), storedEntities(await look))),
    ),
  })
  checks.end()
  return {
    now: store.now(),
    place: await inspect(async () => describePlace(await store.location())),
    baseUrl: settings.upstream.baseUrl,
    stacks: stackFacts(name, await reading),
    network: await network(),
    keys: configuration,
    ...facts,
  }
}

function valueOr<T>(inspected: Inspected<T>, otherwise: T): T {
  return 'value' in inspected ? inspected.value : otherwise
}

function stackFacts(name: string, stacks: Inspected<DeployedStacks>): DoctorFacts['stacks'] {
  if (!('value' in stacks)) return stacks
  const names = stackSuffixes.map((suffix) => name + suffix)
  return { value: names.map((name) => ({ name, status: stacks.value.get(name)?.status })) }
}

/** What is deployed, and what this checkout would deploy. */
async function readBoth(
  names: readonly string[],
  { target, store }: { target: StacksTarget; store: StackStore },
) {
  if (names.length === 0) throw new NotDeployed('No stack is deployed.')
  const synthesized = await synthesize(names, target)
  const deployed = await Promise.all(names.map(async (name) => [name, await store.template(name)] as const))
  return { ...synthesized, deployed: Object.fromEntries(deployed) }
}

async function readCode(
  { functions, deployed }: Awaited<ReturnType<typeof readBoth>>,
  store: StackStore,
): Promise<CodeFact[]> {
  const stacks = [...new Set(functions.map(({ stack }) => stack))]
  const read = async (stack: string) =>
    [stack, await store.resources(stack, 'AWS::Lambda::Function')] as const
  const resources = new Map(await Promise.all(stacks.map(read)))
  const compare = async ({ stack, logicalId, bucket, key, files }: FunctionCode): Promise<CodeFact[]> => {
    if (!deployed[stack]?.includes(`"${key}"`)) return []
    const name = resources.get(stack)?.find((resource) => resource.logicalId === logicalId)?.physicalId
    if (name === undefined) return []
    const { arn, archive } = await readFunctionCode(name)
    const isBuilt = isDeepStrictEqual(files, filesOfArchive(archive))
    return [{ name, bucket: bucketOf(bucket, arn), key, isBuilt }]
  }
  return (await Promise.all(functions.map(compare))).flat()
}

type Secrets = Pick<Deployment, 'configuration' | 'secretIds'>

function inspectSecrets(secrets: Secrets): Promise<Inspected<CredentialsFact>[]> {
  const ids = new Set(Object.values(secrets.secretIds))
  return Promise.all([...ids].map((id) => inspect(() => inspectSecret(id, secrets))))
}

/** Reads the address as the function that sends messages does. */
function inspectAlerts({ alerts }: Pick<Configuration, 'alerts'>): Promise<Inspected<AlertFact>[]> {
  const secrets = createSecretStore()
  return Promise.all(
    alerts.map(({ type, url }, index) =>
      inspect(async (): Promise<AlertFact> => {
        const name = `alerts[${index}] (${type})`
        try {
          const value = await secrets.value(url)
          if (value === undefined) return { name, state: 'missing', detail: '' }
          parseAddress(value)
          return { name, state: 'set', detail: '' }
        } catch (error) {
          if (error instanceof AddressError) return { name, state: 'malformed', detail: error.message }
          if (isAccessDenied(error)) return { name, state: 'not-read', detail: '' }
          throw error
        }
      }),
    ),
  )
}

async function inspectSecret(
  secretId: string,
  { secretIds, configuration }: Secrets,
): Promise<CredentialsFact> {
  const served = areasOfSecret(secretIds, secretId)
  const { areas } = served
  const secrets = createSecretStore()
  const source = secrets.credentials(Object.fromEntries(areas.map((area) => [area, secretId])))
  try {
    await source.get(areas[0] ?? 'documents')
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error
    if (isAccessDenied(error.cause)) {
      // A secret of Longshore's own is created with the placeholder.
      const isOwn = areas.every((area) => configuration.credentials[area] === undefined)
      const state = (await secrets.wasReplaced(secretId)) || !isOwn ? 'not-read' : 'not-set'
      return { ...served, state, detail: '', checks: [] }
    }
    return { ...served, state: error.kind, detail: failureOf(error).message, checks: [] }
  }
  const checks = await checkCredentials(settingsOf(configuration), areas, source)
  return { ...served, state: 'set', detail: '', checks }
}
