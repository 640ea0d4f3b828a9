import * as v from 'valibot'
import { type Validation, validations } from '../functions/runtime/settings.ts'
import { exactly, fitting, keyItem, leaf, plainObject, shown } from './config-mistakes.ts'
import { baseUrlMistake, issuerMistake, originMistake, searchPathMistake } from './config-urls.ts'
import { mistakeInSchedule } from './schedule-expression.ts'

const whole = (from: number, to: number) =>
  fitting<number>(
    'number',
    to === Infinity ? `a whole number from ${from} up` : `a whole number from ${from} to ${to}`,
    (value) => Number.isInteger(value) && value >= from && value <= to,
  )

const numeric = (from: number, to: number) =>
  fitting<number>('number', `a number from ${from} to ${to}`, (value) => value >= from && value <= to)

const yesOrNo = () => leaf<boolean>('boolean', 'true or false')

const text = (right: string, pattern: RegExp) =>
  fitting<string>('string', right, (value) => pattern.test(value))

/** A list whose every item is checked. A default is given by who uses it. */
const list = <S extends v.GenericSchema>(item: S, right: string) =>
  v.array(item, (issue) => `${shown(issue.input)} is not ${right}`)

// CloudFormation's rule for stack names, with room for the longest ending (`Monitoring`) in 128 characters.
const stackPrefix = text(
  'a prefix of stack names: letters, digits and -, beginning with a letter, at most 118 of them',
  /^[A-Za-z][A-Za-z0-9-]{0,117}$/,
)

const upstream = exactly({
  /** Origin of the platform: https, without path; http only for a loopback host. */
  baseUrl: v.pipe(
    leaf<string>('string', "an https URL without path, such as 'https://shop.example.com'", baseUrlMistake),
    v.transform((url) => new URL(url).origin),
    v.description("an https URL without path, such as 'https://shop.example.com'"),
  ),
  /** Begins the platform's header names: `<prefix>-API-AppKey`, `<prefix>-API-AppToken`, `<prefix>-MD-TOKEN`. */
  headerPrefix: v.optional(
    // RFC 9110 section 5.6.2
    text("the beginning of a header's name, such as 'X-SVC'", /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/),
    'X-SVC',
  ),
  /** Where the platform searches documents. */
  searchPath: v.optional(
    leaf<string>('string', 'a path that contains {data_entity}', searchPathMistake),
    '/api/dataentities/{data_entity}/search',
  ),
  /** Time for one proxied call, repeats included. */
  timeoutSeconds: v.optional(numeric(1, 28), 25),
})

// The value is not shown: who takes the place of a secret's name for that of its value must not find it in a log.
const secret = leaf<string>('string', 'the name or ARN of a secret in Secrets Manager', (value) =>
  /^(?:arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:)?[A-Za-z0-9/_+=.@-]{1,512}$/.test(value)
    ? undefined
    : 'is not the name or ARN of a secret in Secrets Manager',
)

// Not an alias: log groups and policies want the key itself.
const keyArn = text(
  "the ARN of a KMS key, such as 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'",
  /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/(?:mrk-)?[0-9a-f-]{32,36}$/,
)

const managedPolicy = text(
  'the name or ARN of a managed policy of IAM',
  /^(?:arn:aws[a-z-]*:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]{1,512}|[\w+=,.@-]{1,128})$/,
)

const credentials = exactly({
  logistics: v.optional(secret),
  subscriptions: v.optional(secret),
  documents: v.optional(secret),
})

const authType = <T extends string>(type: T) =>
  fitting<T>('string', "'iam' or 'jwt'", (value) => value === type)
const iam = exactly({
  type: authType('iam'),
})
const jwt = exactly({
  type: authType('jwt'),
  /** As the tokens' `iss` says it. */
  issuer: leaf<string>('string', 'the https URL of who issues the tokens', issuerMistake),
  /** A token must be meant for one of these (`aud` or `client_id`). */
  audience: v.pipe(
    list(text('a text that is not empty', /\S/), "a list of texts, such as ['longshore']"),
    v.check(
      (audience) => audience.length > 0,
      'an empty list would let nobody in; name one audience or more',
    ),
    v.description("a list of texts, such as ['longshore']"),
  ),
})
/** Only who means JWT names an issuer or an audience: then a wrong type is the one mistake, and not those keys. */
function meansJwt(input: unknown): boolean {
  const { type, issuer, audience } = (input ?? {}) as Record<string, unknown>
  return type === 'jwt' || (type !== 'iam' && (issuer ?? audience) !== undefined)
}

const auth = v.lazy((input) => (meansJwt(input) ? jwt : iam)) as v.GenericSchema<
  v.InferInput<typeof iam> | v.InferInput<typeof jwt>,
  v.InferOutput<typeof iam> | v.InferOutput<typeof jwt>
>

type QueryInput = string | number | boolean | (string | number | boolean)[]

const queryValue = v.pipe(
  v.custom<string | number | boolean>(
    (value) => typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value),
    (issue) => `${shown(issue.input)} is not a string, a number, true or false, or a list of those`,
  ),
  v.transform(String),
)

const queryValues = v.lazy(
  (given): v.GenericSchema<QueryInput, string | string[]> =>
    Array.isArray(given) ? v.array(queryValue) : queryValue,
)

const query = v.pipe(
  plainObject('an object of query parameters') as v.GenericSchema<Record<string, QueryInput>>,
  // Not `v.record`, which leaves out a field named `prototype` or `constructor`: its filter would be lost.
  v.rawTransform(({ dataset: { value }, addIssue }) => {
    const pairs = Object.entries(value).map(([key, given]) => {
      const { output, issues = [] } = v.safeParse(queryValues, given)
      for (const { message, path = [] } of issues) addIssue({ message, path: [keyItem(value, key), ...path] })
      return [key, output as string | string[]] as const
    })
    return Object.fromEntries(pairs)
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const value = dataset.value as Record<string, unknown>
    const issue = (key: string, message: string) => addIssue({ message, path: [keyItem(value, key)] })
    for (const [key, given] of Object.entries(value)) {
      if (key === '_size') issue(key, 'is set by the sync itself; right is pageSize')
      if (key === '_token') issue(key, 'is set by the sync itself; leave it out')
      if (key === '') issue(key, 'is not the name of a parameter')
      if (Array.isArray(given) && given.length === 0) issue(key, 'an empty list sends nothing; leave it out')
    }
  }),
)

/** A zone's name in the letters of the IANA database, which is all that EventBridge Scheduler knows. */
function timezoneMistake(name: string): string | undefined {
  const known = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === name.toLowerCase())
  if (known && known !== name) return `${shown(name)} is written '${known}'`
  const isKnown = /^[A-Za-z]/.test(name) && isTimeZone(name)
  return isKnown ? undefined : `${shown(name)} is not a time zone, such as 'Europe/Lisbon'`
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

const fieldName = (right: string) => text(right, /^[A-Za-z_][\w.]*$/)

/** Fields that every update changes: a document would move between ranges while they are scrolled. */
const changingFields = ['updatedin', 'lastinteractionin']

const partitions = exactly({
  /** A date field whose value never changes. */
  by: v.pipe(
    fieldName("the name of a date field, such as 'createdIn'"),
    v.check(
      (field) => !changingFields.includes(field.toLowerCase()),
      ({ input }) =>
        `${shown(input)} changes with every update; use a field that never changes, such as 'createdIn'`,
    ),
    v.description("the name of a date field, such as 'createdIn'"),
  ),
  /** Number of ranges that are scrolled at once. */
  count: whole(2, 10),
})

const changeSets = exactly({
  /** Top-level fields whose changes do not count. */
  ignore: v.optional(list(text('the name of a field', /\S/), 'a list of field names'), []),
  /** A change set that deletes more of its base than this is refused. */
  maxDeletePercent: v.optional(numeric(0, 100), 10),
  /** Change sets older than this expire. */
  keepDays: v.optional(whole(1, Infinity), 30),
})

const noChangeSets = v.literal(false)

const changes = v.lazy((input) => (input === false ? noChangeSets : changeSets)) as v.GenericSchema<
  false | v.InferInput<typeof changeSets>,
  false | v.InferOutput<typeof changeSets>
>

/** A snapshot without its ids cannot be proven. `_fields` is a comma-separated text or a list of such texts. */
function fieldsMistake(fields: unknown, idField: string): string | undefined {
  const texts = [fields].flat()
  if (!texts.every((text) => typeof text === 'string')) return undefined
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim())
  if (names.includes(idField) || names.includes('_all')) return undefined
  return `does not contain the idField ${shown(idField)}; add ${shown(idField)} or use '_all'`
}

const entityFields = exactly({
  /** The data entity's name in the platform's paths. */
  name: text('one path segment of letters, digits, _ and -', /^[A-Za-z0-9_-]{1,64}$/),
  /** `rate(…)` or `cron(…)` of EventBridge Scheduler. */
  schedule: leaf<string>('string', "rate(…) or cron(…), such as 'rate(6 hours)'", mistakeInSchedule),
  timezone: v.optional(
    leaf<string>('string', "a time zone, such as 'Europe/Lisbon'", timezoneMistake),
    'UTC',
  ),
  /** Documents a page. */
  pageSize: v.optional(whole(1, 1000), 1000),
  /** Extra parameters of the scroll, such as `_fields` and `_where`. */
  query: v.optional(query, {}),
  /** The field that tells documents apart. */
  idField: v.optional(text('the name of a field', /\S/), 'id'),
  /** Published snapshots that stay. */
  keepSnapshots: v.optional(whole(1, Infinity), 7),
  /** A snapshot that is smaller than the one before by more than this is refused. */
  maxShrinkPercent: v.optional(numeric(0, 100), 30),
  /** Whether a snapshot without documents may be published. */
  allowEmpty: v.optional(yesOrNo(), false),
  /** How far the count of an undisturbed scroll may be from the total that the platform reported. */
  totalTolerancePercent: v.optional(numeric(0, 100), 1),
  /** Without its schedule an entity can still be synced by hand. */
  enabled: v.optional(yesOrNo(), true),
  /** Scrolls ranges of a field at the same time. */
  partitions: v.optional(partitions, () => undefined),
  /** What counts as a change between two snapshots; `false` turns change sets off. */
  changes: v.optional(changes, {}),
})

const entity = v.pipe(
  entityFields,
  v.rawCheck(({ dataset, addIssue }) => {
    // Checked even if another key has a mistake, so that all mistakes are reported at once.
    if (typeof dataset.value !== 'object' || dataset.value === null) return
    const { query, idField = 'id' } = dataset.value as Record<string, unknown>
    if (typeof idField !== 'string' || typeof query !== 'object' || query === null) return
    if (!Object.hasOwn(query, '_fields')) return
    const message = fieldsMistake((query as Record<string, unknown>)['_fields'], idField)
    if (message) addIssue({ message, path: [keyItem(dataset.value, 'query'), keyItem(query, '_fields')] })
  }),
)

/** A stack holds 500 resources; each entity is one of its stack's, and the rest needs less than 100. */
const maxEntities = 400

const entities = v.pipe(
  list(entity, 'a list of entities'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!Array.isArray(dataset.value)) return
    const names = dataset.value.map((one) => (one as { name?: unknown } | undefined)?.name)
    for (const [index, name] of names.entries()) {
      const first = names.indexOf(name)
      if (typeof name !== 'string' || first === index) continue
      const message = `${shown(name)} is the name of entities[${first}] too; each entity is configured once`
      addIssue({ message, path: [keyItem(names, index), keyItem(dataset.value[index] as object, 'name')] })
    }
    if (names.length > maxEntities)
      addIssue({
        message: `${names.length} entities are too many for one stack; right is ${maxEntities} at most`,
      })
  }),
)

export const configurationSchema = exactly({
  /** Prefix of the stacks: `<name>Storage`, `<name>Api`, `<name>Sync`, `<name>Monitoring`. */
  name: v.optional(stackPrefix, 'Longshore'),
  upstream,
  /** An existing secret for each area that has its own; the others share one that the Storage stack creates. */
  credentials: v.optional(credentials, {}),
  /** Who may call: AWS identities, or tokens of an OIDC issuer. */
  auth: v.optional(auth, { type: 'iam' }),
  /** Origins whose pages may call from a browser. */
  cors: v.optional(list(leaf<string>('string', 'an origin', originMistake), 'a list of origins'), []),
  /** What the API lets through. */
  throttle: v.optional(
    exactly({
      ratePerSecond: v.optional(
        fitting<number>('number', 'a number greater than 0', (rate) => rate > 0 && rate < Infinity),
        50,
      ),
      burst: v.optional(whole(1, Infinity), 100),
    }),
    {},
  ),
  /** Reserved concurrency of the proxy, so that a slow platform cannot use up the account's concurrency. */
  maxConcurrentCalls: v.optional(whole(1, Infinity)),
  /** Check patch bodies against every field of the platform's interface, or `item` only. */
  validation: v.optional(
    fitting<Validation>('string', "'strict' or 'structure'", (value) => validations.includes(value)),
    'strict',
  ),
  /** Whether there is a Glue database with tables that Athena can query. */
  athena: v.optional(yesOrNo(), true),
  entities: v.optional(entities, []),
  /** Syncs that run at once. */
  maxConcurrentSyncs: v.optional(whole(1, 10), 5),
  /** Scrolls open at once over all entities; the platform allows about 10. */
  maxConcurrentScrolls: v.optional(whole(1, 10), 8),
  /** How long one call of the worker goes on before it hands over. */
  stepSeconds: v.optional(whole(10, 840), 780),
  /** The owner's key in place of those of AWS, for bucket, table, secret, logs, dead letters and alarms. */
  encryptionKeyArn: v.optional(keyArn),
  /** The most that any role of ours may ever do, whatever its own policies say. */
  permissionsBoundary: v.optional(managedPolicy),
  /** Who hears of alarms. */
  alarmEmail: v.optional(text('an e-mail address', /^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>".]+$/)),
})
