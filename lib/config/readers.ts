import * as v from 'valibot'
import {
  deployedText,
  describeValue,
  itemsOf,
  oneOf,
  pathTo,
  repetitions,
  strictObject,
  textMatching,
} from '../../functions/runtime/settings-schema/schema-parts.ts'
import { distinctList } from './distinct-list.ts'

type Data = 'snapshots' | 'changes' | 'tables'

/** Where each kind of data is: the prefixes of all entities, and the folders of one. */
const places: Readonly<
  Record<
    Data,
    { readonly prefixes: readonly string[]; readonly folders: (entity: string) => readonly string[] }
  >
> = {
  snapshots: { prefixes: ['snapshots/'], folders: (entity) => [`snapshots/${entity}/`] },
  changes: { prefixes: ['changes/'], folders: (entity) => [`changes/${entity}/`] },
  tables: {
    prefixes: ['tables/', 'iceberg/'],
    folders: (entity) => [`tables/${entity}/`, `tables/${entity}.changes/`, `iceberg/${entity}/`],
  },
}

const allData = Object.keys(places) as readonly Data[]

const roleText = "the full ARN of a role, such as 'arn:aws:iam::123456789012:role/reports'"

function findRoleError(value: string): string | undefined {
  const [, partition, account, name] =
    /^arn:(aws[a-z-]*):sts::(\d{12}):assumed-role\/([^/]+)/.exec(value) ?? []
  if (account)
    return `${describeValue(value)} is a session of a role; use the role: 'arn:${partition}:iam::${account}:role/${name}', with its path if it has one`
  if (/[*?]/.test(value))
    return `${describeValue(value)} contains a wildcard; list each role by its full ARN, such as 'arn:aws:iam::123456789012:role/reports'`
  return /^arn:aws[a-z-]*:iam::\d{12}:role\/(?:[\x21-\x29\x2b-\x3e\x40-\x7e]{1,510}\/)?[\w+=,.@-]{1,64}$/.test(
    value,
  )
    ? undefined
    : `${describeValue(value)} is not ${roleText}`
}

const reader = strictObject({
  /** A role of any account. It need not exist yet. */
  role: deployedText(roleText, findRoleError),
  /** All entities if absent. */
  entities: v.optional(
    distinctList(textMatching('the name of an entity', /./), {
      expected: "a list of entities, such as ['CL']",
      ifEmpty: "add an entity, or omit 'entities' to allow all of them",
    }),
  ),
  /** All data if absent. */
  data: v.optional(
    distinctList(oneOf(...allData), {
      expected: `a list of one or more of ${allData.map((each) => `'${each}'`).join(', ')}`,
      ifEmpty: "add one, or omit 'data' to allow everything",
    }),
  ),
})

type Reader = v.InferOutput<typeof reader>

export const readersSchema = v.pipe(
  itemsOf(reader, "a list of readers, such as [{ role: 'arn:aws:iam::123456789012:role/reports' }]"),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!Array.isArray(dataset.value)) return
    const roles = dataset.value.map((each) => (Object(each) as { role?: unknown }).role)
    for (const { value, index, first } of repetitions(roles)) {
      const message = `${describeValue(value)} is also the role of readers[${first}]; list each role once`
      addIssue({ message, path: pathTo(dataset.value, [index, 'role']) })
    }
    const bytes = dataset.typed ? policyBytes(dataset.value) : 0
    if (bytes > maxPolicyBytes)
      addIssue({
        message: `need a bucket policy of about ${Math.ceil(bytes / 1024)} KB; S3 allows 20 KB. Omit 'entities' to let a role read all of them, or list fewer roles`,
      })
  }),
)

/** The keys that a role may read, each with a `*` at its end. */
export function readableKeys({ entities, data = [...allData] }: Reader): string[] {
  return data
    .flatMap((kind) => entities?.flatMap(places[kind].folders) ?? places[kind].prefixes)
    .map((prefix) => `${prefix}*`)
}

/** S3 limits the policy of a bucket to 20 KB. The rest is for its other statements. */
const maxPolicyBytes = 19_000

/** Each key is listed twice, once after the ARN of the bucket, whose name has at most 63 characters. */
function policyBytes(readers: readonly Reader[]): number {
  return readers
    .map((each) => {
      const keys = readableKeys(each).reduce((sum, key) => sum + 2 * key.length + 100, 0)
      return keys + 2 * (each.role.length + 250)
    })
    .reduce((sum, bytes) => sum + bytes, 0)
}

/** Readers of entities that are not configured. `keys` is the path of the name. */
export function findReaderErrors({ readers, entities = [] }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(readers) || !Array.isArray(entities)) return []
  const names = entities.map((entity) => (Object(entity) as { name?: unknown }).name)
  return readers.flatMap((each, reader) => {
    const { entities: own } = Object(each) as { entities?: unknown }
    if (!Array.isArray(own)) return []
    return own.flatMap((name, index) => {
      if (typeof name !== 'string' || names.includes(name)) return []
      const message = `${describeValue(name)} is not a configured entity; ${known(names)}`
      return [{ keys: ['readers', reader, 'entities', index], message }]
    })
  })
}

const known = (entities: readonly unknown[]) =>
  entities.length === 0 ? 'no entity is configured' : `the entities are ${entities.slice(0, 20).join(', ')}`
