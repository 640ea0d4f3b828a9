import { randomUUID } from 'node:crypto'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import {
  changesTableName,
  glueName,
  reservedEntity,
  snapshotDatabase,
  tableDatabase,
} from '../../functions/runtime/settings-schema/glue-names.ts'
import { recordsIn } from '../../functions/state/changes/changes-latest.ts'
import { runIdOfExecution } from '../../functions/state/run/run.ts'
import { tablePrefix } from '../../functions/state/tables/table.ts'
import type { TableStore } from '../../functions/state/tables/tables.aws.ts'
import { openCatalog } from '../../functions/tables/glue/catalog.aws.ts'
import { glueTable } from '../../functions/tables/glue/table-input.ts'
import { currentSnapshot, type TableMetadata } from '../../functions/tables/iceberg/metadata.ts'
import { type AskAthena, openAthena } from '../aws/athena.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { openStores } from '../aws/stores.ts'
import { totalsOf } from '../changes/totals.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Waiting } from '../waiting.ts'
import { type EmptyTable, emptyTable } from './empty-table.ts'
import { check, type LiveCheck, notAsked, type Place, type Verdict } from './live-check.ts'
import { columnsVerdict, countVerdict } from './verdicts.ts'

interface Checked {
  readonly place: Place
  readonly settings: EntitySettings
  readonly waiting: Waiting
}

/** What Glue and Athena make of the entity's tables, and of one under the reserved name. */
export async function tableChecks(deployment: Deployment, checked: Checked): Promise<LiveCheck[]> {
  const { bucket, configuration, stateMachineArn, now } = deployment
  if (!configuration.athena) return []
  const { tables } = openStores(bucket)
  const catalog = openCatalog(tableDatabase(configuration.name), awsClients.glue())
  const [, partition = ''] = stateMachineArn.split(':')
  const athena = openAthena(
    { address: tables.addressOf(`${tablePrefix(reservedEntity)}results/`), partition },
    checked.waiting,
  )
  const uuid = randomUUID()
  const time = now()
  const runId = runIdOfExecution({ id: uuid, startedAt: time })
  const table = emptyTable(tables.addressOf, { runId, uuid, now: time })
  return [
    ...(await reservedChecks({ table, tables, catalog, athena }, configuration.name, checked)),
    ...(await entityChecks({ deployment, tables, catalog, athena }, checked)),
  ]
}

interface Opened {
  readonly tables: TableStore
  readonly catalog: ReturnType<typeof openCatalog>
  readonly athena: AskAthena
}

async function reservedChecks(
  { table, tables, catalog, athena }: Opened & { readonly table: EmptyTable },
  deployment: string,
  { place }: Checked,
): Promise<LiveCheck[]> {
  const name = glueName(reservedEntity)
  const { columns } = table.inGlue
  const stored = await check(
    place,
    {
      name: 'Glue returns the columns of a table as sent',
      asked: `CreateTable and GetTable of ${name} with ${columns.map(({ type }) => type).join(', ')}`,
      expected: `the same ${columns.length} columns`,
    },
    async () => {
      for (const { key, body } of table.files) await tables.writeFile(key, body)
      // One that was interrupted may have left its table.
      await catalog.drop(name)
      await catalog.create(name, table.inGlue)
      return columnsVerdict(columns, (await catalog.read(name))?.columns)
    },
  )
  const query = readAll(tableDatabase(deployment), name, columns)
  return [
    stored,
    await check(place, { name: 'Athena reads a table without rows', asked: query, expected: '0' }, async () =>
      countVerdict(0, await athena(query)),
    ),
  ]
}

/** Counts the rows, and the values of each column, so that Athena reads all of them. */
const readAll = (database: string, table: string, columns: readonly { readonly name: string }[]) =>
  `SELECT ${['count(*)', ...columns.map(({ name }) => `count("${name}")`)].join(', ')} FROM "${database}"."${table}"`

async function entityChecks(
  { deployment, tables, catalog, athena }: Opened & { readonly deployment: Deployment },
  { place, settings }: Checked,
): Promise<LiveCheck[]> {
  const { bucket, configuration } = deployment
  const { name: entity } = settings
  const database = tableDatabase(configuration.name)
  const name = glueName(entity)
  const latest = (await tables.readLatest(entity))?.value
  const metadata = latest && (await tables.readJson<TableMetadata>(latest.metadata))
  const oldest = metadata?.snapshots[0] ?? (metadata && currentSnapshot(metadata))
  const columns = latest && glueTable(latest, { location: '', metadata: '' }).columns
  const ofTable = async (ask: (table: NonNullable<typeof latest>) => Promise<Verdict>) =>
    latest ? ask(latest) : notAsked(`${entity} has no typed table.`)
  const typed = readAll(database, name, columns ?? [])
  const earlier = `SELECT count(*) FROM "${database}"."${name}" FOR VERSION AS OF ${oldest?.['snapshot-id'] ?? '…'}`
  const earlierRows = Number(oldest?.summary['total-records'])
  const listed = [
    await check(
      place,
      {
        name: 'Glue has the columns of the typed table',
        asked: `GetTable of ${name}`,
        expected: `the ${columns?.length ?? 0} columns of ${entity}`,
      },
      () => ofTable(async () => columnsVerdict(columns ?? [], (await catalog.read(name))?.columns)),
    ),
    await check(
      place,
      { name: 'Athena reads the typed table', asked: typed, expected: String(latest?.rows ?? '') },
      () => ofTable(async ({ rows }) => countVerdict(rows, await athena(typed))),
    ),
    await check(
      place,
      { name: 'Athena reads the table as it was', asked: earlier, expected: String(earlierRows) },
      () => ofTable(async () => countVerdict(earlierRows, await athena(earlier))),
    ),
  ]
  const untyped = await untypedTables(bucket, settings)
  for (const { table, rows } of untyped) {
    const query = `SELECT count(*) FROM "${snapshotDatabase(configuration.name)}"."${table}"`
    const question = { name: `Athena reads the untyped table ${table}`, asked: query, expected: String(rows) }
    const ask = async () =>
      rows === undefined ? notAsked('Nothing is published.') : countVerdict(rows, await athena(query))
    listed.push(await check(place, question, ask))
  }
  return listed
}

interface UntypedTable {
  readonly table: string
  /** Undefined before the first publication. */
  readonly rows: number | undefined
}

async function untypedTables(bucket: string, { name, changes }: EntitySettings): Promise<UntypedTable[]> {
  const stores = openStores(bucket)
  const latest = (await stores.snapshots.readLatest(name))?.value
  const manifest = latest && (await stores.snapshots.readManifest(name, latest.runId))
  const chain = changes ? (await stores.changes.readLatest(name))?.value : undefined
  const records = chain && recordsIn(totalsOf(chain.sets))
  const ofChanges = changes ? [{ table: changesTableName(name), rows: records }] : []
  return [
    { table: glueName(name), rows: manifest?.pages.reduce((sum, { documents }) => sum + documents, 0) },
    ...ofChanges,
  ]
}
