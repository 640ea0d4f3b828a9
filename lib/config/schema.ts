import * as v from 'valibot'
import { hasPassed, isImpossible } from '../../functions/runtime/schedule-gap.ts'
import { validations } from '../../functions/runtime/settings.ts'
import { entitySchema } from '../../functions/runtime/settings-schema/entity.ts'
import { eraseWithinRange } from '../../functions/runtime/settings-schema/erasure-days.ts'
import { findTableNameErrors } from '../../functions/runtime/settings-schema/glue-names.ts'
import { findScheduleError } from '../../functions/runtime/settings-schema/schedule.ts'
import {
  deployedText,
  deployedTextMatching,
  describeValue,
  flag,
  itemsOf,
  numberBetween,
  oneOf,
  pathTo,
  primitive,
  repetitions,
  strictObject,
  textMatching,
  wholeNumber,
} from '../../functions/runtime/settings-schema/schema-parts.ts'
import { alertsSchema } from './alerts.ts'
import { authSchema } from './auth.ts'
import { distinctList } from './distinct-list.ts'
import { domainSchema, findDomainErrors } from './domain.ts'
import { credentialsSchema, endpointsSchema, findAreaErrors } from './endpoints.ts'
import { findErasureErrors } from './erasure.ts'
import { retentionSchema } from './log-retention.ts'
import { networkSchema } from './network.ts'
import { findReaderErrors, readersSchema } from './readers.ts'
import { tagsSchema } from './tags.ts'
import { findBaseUrlError, findOriginError, findSearchPathError } from './urls.ts'

// Lambda allows names of 64 characters; the longest one that is not shortened is `<name>Sync-Tables`.
const stackPrefix = textMatching(
  'a prefix of stack names: a letter, then up to 52 letters, digits and -',
  /^[A-Za-z][A-Za-z0-9-]{0,52}$/,
)

const baseUrl = "an https URL without a path, such as 'https://shop.example.com'"

const upstream = strictObject({
  /** Origin of the platform: https, without a path; http only for a loopback host. */
  baseUrl: v.pipe(
    primitive<string>('string', baseUrl, findBaseUrlError),
    v.transform((url) => new URL(url).origin),
    v.description(baseUrl),
  ),
  /** Prefix of the platform's headers: `<prefix>-API-AppKey`, `<prefix>-API-AppToken`, `<prefix>-MD-TOKEN`. */
  headerPrefix: v.optional(
    // RFC 9110 section 5.6.2
    textMatching("the prefix of a header name, such as 'X-SVC'", /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/),
    'X-SVC',
  ),
  /** Path of the platform's document search. */
  searchPath: v.optional(
    primitive<string>('string', 'a path that contains {data_entity}', findSearchPathError),
    '/api/dataentities/{data_entity}/search',
  ),
  /** Time limit of one proxied call, retries included. */
  timeoutSeconds: v.optional(numberBetween(1, 28), 25),
  /** The account's name: the value of the query parameter `an` that callers may send. */
  account: v.optional(
    textMatching(
      "the account's name, such as 'shop': up to 100 letters, digits, -, _ and .",
      /^[A-Za-z0-9][\w.-]{0,99}$/,
    ),
  ),
})

// Not an alias: log groups and policies need the key itself.
const keyArn = deployedTextMatching(
  "the ARN of a KMS key, such as 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'",
  /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/(?:mrk-)?[0-9a-f-]{32,36}$/,
)

const managedPolicy = deployedTextMatching(
  'the name or ARN of an IAM managed policy',
  /^(?:arn:aws[a-z-]*:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]{1,512}|[\w+=,.@-]{1,128})$/,
)

/** A stack has at most 500 resources: one of each entity, one of its increments, and fewer than 100 others. */
const maxEntities = 400

/** The Athena stack also has the database and metadata. */
const maxAthenaTables = 490

const entities = v.pipe(
  itemsOf(entitySchema, 'a list of entities'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!Array.isArray(dataset.value)) return
    const names = dataset.value.map((entity) => (entity as { name?: unknown } | undefined)?.name)
    for (const { value, index, first } of repetitions(names)) {
      const message = `${describeValue(value)} is also the name of entities[${first}]; configure each entity once`
      addIssue({ message, path: pathTo(dataset.value, [index, 'name']) })
    }
    for (const [index, entity] of dataset.value.entries()) {
      for (const { keys, schedule } of schedulesOf(entity)) {
        if (typeof schedule !== 'string' || findScheduleError(schedule) || !isImpossible(schedule)) continue
        const message = `${describeValue(schedule)} never runs: that date does not exist`
        addIssue({ message, path: pathTo(dataset.value, [index, ...keys]) })
      }
    }
    const increments = dataset.value.filter((entity) => Object(entity).increments !== undefined).length
    if (names.length > maxEntities)
      addIssue({ message: `has ${names.length} entities; one stack holds at most ${maxEntities}` })
    else if (names.length + increments > maxEntities)
      addIssue({
        message: `has ${names.length} entities, ${increments} of them with increments, so ${names.length + increments} schedules; one stack holds at most ${maxEntities} schedules`,
      })
  }),
)

/** What is wrong with the schedules of enabled entities whose last run has passed. */
export function passedSchedules(configuration: unknown): string[] {
  const { entities } = Object(configuration) as { entities?: unknown }
  return (Array.isArray(entities) ? entities : []).flatMap((entity, index) =>
    Object(entity).enabled === false ? [] : passedSchedulesOf(entity, `entities[${index}]`),
  )
}

const passedSchedulesOf = (entity: unknown, path: string) =>
  schedulesOf(entity).flatMap(({ keys, schedule, otherwise }) => {
    if (typeof schedule !== 'string' || findScheduleError(schedule) || isImpossible(schedule)) return []
    const message = `'${schedule}' does not run again; name a later year, or ${otherwise}`
    return hasPassed(schedule) ? [`${[path, ...keys].join('.')}: ${message}`] : []
  })

function schedulesOf(entity: unknown) {
  const { schedule, increments } = Object(entity) as { schedule?: unknown; increments?: unknown }
  return [
    { keys: ['schedule'], schedule, otherwise: 'set enabled: false' },
    {
      keys: ['increments', 'schedule'],
      schedule: (Object(increments) as { schedule?: unknown }).schedule,
      otherwise: 'remove increments',
    },
  ]
}

/** At most what API Gateway allows an account by default, across all of its APIs. */
const throttle = strictObject({
  ratePerSecond: v.optional(numberBetween(0.1, 10_000), 50),
  burst: v.optional(wholeNumber(1, 5000), 100),
})

const configurationKeys = strictObject({
  /** Prefix of the stacks: `<name>Storage`, `<name>Api`, `<name>Sync`, `<name>Monitoring`, `<name>Athena`. */
  name: v.optional(stackPrefix, 'Longshore'),
  upstream,
  /** An existing secret for each area that has its own. The Storage stack creates one for the other areas. */
  credentials: v.optional(credentialsSchema, {}),
  /** Further endpoints of the platform that callers may read. */
  endpoints: v.optional(endpointsSchema, []),
  /** Who may call the API: AWS identities, or tokens of an OIDC issuer. */
  auth: v.optional(authSchema, { type: 'iam' }),
  /** Origins whose pages may call the API from a browser. */
  cors: v.optional(itemsOf(deployedText('an origin', findOriginError), 'a list of origins'), []),
  /** Requests that the API accepts. */
  throttle: v.optional(throttle, {}),
  /** Reserved concurrency of the proxy, so that a slow platform cannot use up the account's concurrency. */
  maxConcurrentCalls: v.optional(wholeNumber(1, 10_000)),
  /** Check patch bodies against every field of the platform's interface, or `item` only. */
  validation: v.optional(oneOf(...validations), 'strict'),
  /** Whether to create a Glue database with tables that Athena can query. */
  athena: v.optional(flag(), true),
  entities: v.optional(entities, []),
  maxConcurrentSyncs: v.optional(wholeNumber(1, 10), 5),
  /** Scrolls open at once across all entities; the platform allows about 10. */
  maxConcurrentScrolls: v.optional(wholeNumber(1, 10), 8),
  /** How long one invocation of the worker runs before it hands off. */
  stepSeconds: v.optional(wholeNumber(10, 840), 780),
  /** Content that is no longer published is gone from the bucket, old versions included, after this many days. */
  eraseWithinDays: v.optional(wholeNumber(eraseWithinRange.min, eraseWithinRange.max)),
  /** Your own KMS key for bucket, table, secret, logs, dead letters and alarms. */
  encryptionKeyArn: v.optional(keyArn),
  /** Keys that encrypted what is stored already: everything may decrypt with them, and nothing is encrypted with them. */
  previousEncryptionKeyArns: v.optional(distinctList(keyArn, { expected: 'a list of ARNs of KMS keys' }), []),
  /** A managed policy that limits every role. */
  permissionsBoundary: v.optional(managedPolicy),
  alarmEmail: v.optional(
    deployedTextMatching('an email address', /^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>".]+$/),
  ),
  /** Where problems are reported when they open and when they are over. */
  alerts: v.optional(alertsSchema, []),
  /** Tags of every resource that can have them. */
  tags: v.optional(tagsSchema, {}),
  /** How long every log group keeps its lines. */
  logRetentionDays: v.optional(retentionSchema, 30),
  /** X-Ray tracing of the functions and of the state machine. */
  tracing: v.optional(flag(), false),
  /** Subnets for the functions that call the platform, or for all functions. */
  network: v.optional(networkSchema),
  /** Custom domain of the API. */
  domain: v.optional(domainSchema),
  /** Roles of other accounts that may read parts of the bucket. */
  readers: v.optional(readersSchema, []),
})

/** Checks that only concern the Athena stack: names and number of its tables. */
const athenaCheck = v.rawCheck<v.InferOutput<typeof configurationKeys>>(({ dataset, addIssue }) => {
  // Runs even if another key has an error, so that all errors are reported at once.
  const configuration = Object(dataset.value) as Record<string, unknown>
  const { athena, entities } = configuration
  if (athena === false || !Array.isArray(entities)) return
  const tables = athenaTables(entities)
  for (const { index, message } of findTableNameErrors(tables.map(({ name }) => name)))
    addIssue({ message, path: pathTo(configuration, ['entities', index, 'name']) })
  const count = tables.reduce((sum, { hasChanges }) => sum + (hasChanges ? 2 : 1), 0)
  if (count > maxAthenaTables)
    addIssue({
      message: `need ${count} tables in Glue; one stack holds at most ${maxAthenaTables}. Set athena to false, or changes to false for entities that do not need them`,
      path: pathTo(configuration, ['entities']),
    })
})

function athenaTables(entities: readonly unknown[]) {
  return entities.map((entity) => {
    const { name, changes } = Object(entity) as { name?: unknown; changes?: unknown }
    return { name, hasChanges: changes !== false }
  })
}

/** A key that everything is encrypted with is not a previous one. */
function findKeyErrors({ encryptionKeyArn, previousEncryptionKeyArns }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(previousEncryptionKeyArns) || encryptionKeyArn === undefined) return []
  const index = previousEncryptionKeyArns.indexOf(encryptionKeyArn)
  if (index === -1) return []
  return [
    {
      keys: ['previousEncryptionKeyArns', index],
      message: 'is the key in encryptionKeyArn; remove it from the list',
    },
  ]
}

const dependenciesCheck = v.rawCheck<v.InferOutput<typeof configurationKeys>>(({ dataset, addIssue }) => {
  const configuration = Object(dataset.value) as Record<string, unknown>
  const errors = [findErasureErrors, findReaderErrors, findDomainErrors, findKeyErrors, findAreaErrors]
  for (const { keys, message } of errors.flatMap((find) => find(configuration)))
    addIssue({ message, path: pathTo(configuration, keys) })
})

export const configurationSchema = v.pipe(configurationKeys, athenaCheck, dependenciesCheck)
