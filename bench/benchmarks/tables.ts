import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ColumnTypeText, columnTypeOf } from '../../functions/runtime/settings-schema/column-type.ts'
import { manifestKey, runPrefix } from '../../functions/state/snapshots/manifest.ts'
import type { FileColumn } from '../../functions/tables/parquet/file-column.ts'
import { pythonTools } from '../../test/python-tools.ts'
import type { Figures } from '../measured/report.ts'
import { entity } from '../names.ts'
import { measure } from '../processes.ts'
import { baseRun, writeSnapshots } from '../snapshots.ts'
import { atMost, count, figure, type Report } from '../table.ts'
import { medianFigures } from './sync.ts'

const bytes = 1024
const memoryMegabytes = 1769

/** Name, path, our type, and the expression of DuckDB that makes the same column. */
const table: readonly (readonly [string, string, ColumnTypeText, string])[] = [
  ['id', 'id', 'string', 'id'],
  ['created_in', 'createdIn', 'timestamp', 'createdIn'],
  ['created_on', 'createdIn', 'date', 'createdIn::DATE'],
  ['user_id', 'userId', 'string', 'userId'],
  ['first_name', 'firstName', 'string', 'firstName'],
  ['last_name', 'lastName', 'string', 'lastName'],
  ['email', 'email', 'string', 'email'],
  ['document', 'document', 'long', 'document'],
  ['document_text', 'document', 'string', 'document::VARCHAR'],
  ['phone', 'phone', 'string', 'phone'],
  ['birth_date', 'birthDate', 'date', 'birthDate::DATE'],
  ['born_at', 'birthDate', 'timestamp', 'birthDate'],
  ['is_newsletter_opt_in', 'isNewsletterOptIn', 'boolean', 'isNewsletterOptIn'],
  ['balance', 'balance', 'decimal(18,2)', 'balance'],
  ['carttag', 'carttag', 'json', 'carttag'],
  ['last_interaction_in', 'lastInteractionIn', 'timestamp', 'lastInteractionIn'],
  ['visited', 'visitedProductsWithStockOutSkuIds', 'json', 'visitedProductsWithStockOutSkuIds'],
  ['display_value', 'checkoutTag.DisplayValue', 'string', 'checkoutTag.DisplayValue'],
  ['scores', 'checkoutTag.Scores', 'json', 'checkoutTag.Scores'],
  ['note', 'note', 'string', 'note'],
]
const columns = table.map(
  ([name, path, type], index): FileColumn => ({
    name,
    from: path.split('.'),
    type: columnTypeOf(type),
    fieldId: index + 1,
  }),
)
const duckDbColumns = `{
  id: 'VARCHAR', createdIn: 'TIMESTAMP', userId: 'VARCHAR', firstName: 'VARCHAR', lastName: 'VARCHAR',
  email: 'VARCHAR', document: 'BIGINT', phone: 'VARCHAR', birthDate: 'TIMESTAMP', isNewsletterOptIn: 'BOOLEAN',
  balance: 'DECIMAL(18,2)', carttag: 'JSON', lastInteractionIn: 'TIMESTAMP',
  visitedProductsWithStockOutSkuIds: 'JSON', checkoutTag: 'STRUCT(DisplayValue VARCHAR, Scores JSON)', note: 'VARCHAR'
}`

interface TableFigures extends Figures {
  readonly rows: number
}

/** Writes a snapshot as one Parquet file of 20 columns. */
export async function benchTables({ quick }: { quick: boolean }): Promise<Report> {
  const documents = quick ? 10_000 : 1_000_000
  const root = await writeSnapshots(documents, bytes)
  const folder = join(root, runPrefix(entity, baseRun))
  const ours: TableFigures[] = []
  const peers: TableFigures[] = []
  for (let repeat = 0; repeat < (quick ? 1 : 3); repeat++) {
    const output = join(folder, 'table.parquet')
    const args = [root, manifestKey(entity, baseRun), output, JSON.stringify(columns)]
    ours.push(await measure('tables', { arguments: args }))
    const peer = await duckDb(folder)
    if (peer) peers.push(peer)
  }
  for (const { rows } of [...ours, ...peers]) {
    if (rows !== documents) throw new Error(`${rows} of ${documents} documents became rows.`)
  }
  const mine = medianFigures(ours)
  const peer = peers.length > 0 ? medianFigures(peers) : undefined
  return {
    title: 'Typed tables: documents of 1 KB to Parquet with 20 columns; seconds',
    columns: ['', 'documents', 'seconds', 'processor s', 'peak MB'],
    rows: [
      row('Longshore, with the schema report', documents, mine),
      ...(peer ? [row('DuckDB, one thread', documents, peer)] : []),
    ],
    targets: [
      atMost(`${count(documents)} documents: processor time`, mine.cpuSeconds, { limit: 60, unit: 's' }),
      ...(peer
        ? [atMost('Processor time over DuckDB', mine.cpuSeconds / peer.cpuSeconds, { limit: 1.5 })]
        : []),
      atMost('Peak', mine.peakMegabytes, { limit: memoryMegabytes / 2, unit: 'MB' }),
    ],
    notes: peer ? [] : ['Skipped DuckDB: it needs Python 3.11 or later.'],
  }
}

const row = (name: string, documents: number, figures: Figures) => [
  name,
  count(documents),
  figure(figures.seconds),
  figure(figures.cpuSeconds),
  figure(figures.peakMegabytes),
]

async function duckDb(folder: string): Promise<TableFigures | undefined> {
  const requirements = new URL('../../test/integration/duckdb-requirements.txt', import.meta.url)
  const programs = await pythonTools('duckdb', requirements)
  if (!programs) return undefined
  const script = fileURLToPath(new URL('../peers/duckdb_tables.py', import.meta.url))
  const selected = table.map(([name, , , expression]) => `${expression} AS ${name}`).join(', ')
  const args = [script, folder, join(folder, 'duckdb.parquet'), duckDbColumns, selected]
  return JSON.parse(execFileSync(join(programs, 'python'), args, { encoding: 'utf8' })) as TableFigures
}
