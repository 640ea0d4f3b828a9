import { globSync, readFileSync } from 'node:fs'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { ContextObject } from '../../local/states/paths.ts'
import type { TableItem } from '../../stored/dynamodb/state-table.ts'
import type { Key } from '../../stored/item-version.ts'
import { entityNamed } from '../entity-named.ts'
import { UpgradeDeployment } from './deployment.ts'

export type Execution = ContextObject['Execution']

/** Everything that a version leaves behind: a deployment of the newest version must continue from it. */
export interface Recording {
  /** Epoch milliseconds of its last write. */
  readonly now: number
  readonly entities: readonly EntitySettings[]
  /** Of the state machine. Its executions continue with it after an upgrade. */
  readonly definition: object
  /** Executions that are running: their runs wait, or their workers have crashed. */
  readonly executions: readonly Execution[]
  /** Events of comparisons that have crashed. Step Functions sends them again. */
  readonly comparisons: readonly unknown[]
  readonly items: readonly Record<string, unknown>[]
  /** Keys and bytes (base64). */
  readonly objects: Readonly<Record<string, string>>
  readonly events: readonly { readonly type: string; readonly detail: object }[]
  /** What the platform stores, and the scroll requests that it has received. */
  readonly platform: {
    readonly documents: Readonly<Record<string, readonly string[]>>
    readonly scrolled: readonly string[]
  }
}

const folder = new URL('recorded/', import.meta.url)

/** The recordings of all versions. */
export function recordings(): [version: string, Recording][] {
  return globSync('*.json', { cwd: folder })
    .toSorted()
    .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(new URL(file, folder), 'utf8'))])
}

/** The file of a version's recording. */
export const recordingFile = (version: string) => new URL(`${version}.json`, folder)

/** As JSON with one line per item, object and event. */
export function rendered({ items, objects, events, ...rest }: Recording): string {
  const list = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(',\n')
  const members = (map: object) =>
    Object.entries(map)
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n')
  return `{
${members(rest)},
"items": [
${list(items)}
],
"objects": {
${members(objects)}
},
"events": [
${list(events)}
]
}
`
}

/** The state of a deployment. Binary attributes become `{"B": base64}`. */
export function dump(
  { dynamodb, s3, now, entities, definition, events, scrolled, platform }: UpgradeDeployment,
  inProgress: Pick<Recording, 'executions' | 'comparisons'>,
): Recording {
  const stored = [...dynamodb.all()].toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)))
  const documents = [...platform.documents].map(([entity, source]) => [
    entity,
    (source as Buffer[]).map(String),
  ])
  const objects = [...s3.objects].toSorted(([one], [other]) => one.localeCompare(other))
  return {
    now,
    entities,
    definition,
    ...inProgress,
    items: stored.map(
      (item) => JSON.parse(JSON.stringify(marshall(item), base64)) as Record<string, unknown>,
    ),
    objects: Object.fromEntries(objects.map(([key, { body }]) => [key, body.toString('base64')])),
    events,
    platform: { documents: Object.fromEntries(documents), scrolled },
  }
}

const keyOf = ({ pk, sk }: Key) => `${pk} ${sk}`

/** JSON.stringify passes the value that `toJSON` has already changed, so the original is read from the object. */
function base64(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key]
  return original instanceof Uint8Array ? Buffer.from(original).toString('base64') : value
}

/** A deployment of today's code that finds what a recording contains, and a platform that continues its scrolls. */
export async function restore(recording: Recording): Promise<UpgradeDeployment> {
  // Today's configuration has defaults for options that the older version did not have.
  const entities = recording.entities.map((entity) => entityNamed(entity.name, entity))
  const deployment = new UpgradeDeployment({ ...recording, entities })
  for (const item of recording.items)
    await deployment.dynamodb.write({ kind: 'put', item: itemOf(item), condition: {} })
  for (const [Key, body] of Object.entries(recording.objects))
    await deployment.s3.send(
      new PutObjectCommand({ Bucket: 'snapshots', Key, Body: Buffer.from(body, 'base64') }),
    )
  const { documents, scrolled } = recording.platform
  for (const [entity, list] of Object.entries(documents)) deployment.setDocuments(entity, list)
  for (const target of scrolled) deployment.respond(target)
  return deployment
}

/** A recorded item as the state table returns it. */
export function itemOf(recorded: Record<string, unknown>): TableItem {
  const bytes = (value: unknown) =>
    typeof value === 'object' && value !== null && 'B' in value
      ? { B: Buffer.from(String(value.B), 'base64') }
      : value
  const attributes = Object.entries(recorded).map(([name, value]) => [name, bytes(value)])
  return unmarshall(Object.fromEntries(attributes)) as TableItem
}
