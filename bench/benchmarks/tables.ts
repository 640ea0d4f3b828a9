import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ColumnTypeText, columnTypeOf } from '../../functions/runtime/settings-schema/column-type.ts'
import type { ChunkResult } from '../../functions/tables/chunk/write-chunk.ts'
import { type ChunkPlan, chunkKey, chunkResultKey, type PlanName } from '../../functions/tables/plan/plan.ts'
import type { ChunkOutcome, PlannedTable, TableResult } from '../../functions/tables/result.ts'
import type { ConfigurationInput } from '../../lib/config.ts'
import type { FileColumn } from '../../stored/iceberg/table-schema.ts'
import { type Manifest, manifestKey, runPrefix } from '../../stored/snapshots/manifest.ts'
import { tablePrefix } from '../../stored/tables/table.ts'
import { duckDb } from '../duck-db.ts'
import { lambdaOptions } from '../lambda-options.ts'
import { entity } from '../names.ts'
import { prices } from '../prices.ts'
import { functionEnvironment, measure, startServer } from '../processes.ts'
import { atMost, atMostHalf, count, type Figures, figure, type Report } from '../report.ts'
import { baseRun, publishSnapshot, writeDistinctSnapshot, writeSnapshots } from '../snapshots.ts'
import { medianFigures } from './sync.ts'

const bytes = 1024

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

const configuredColumns = Object.fromEntries(table.map(([name, from, type]) => [name, { from, type }]))

interface TableFigures extends Figures {
  readonly rows: number
}

/**
 * Converts pages to a Parquet file of 20 columns next to DuckDB: documents that repeat after a page, and documents that do
 * not repeat. Makes tables of the first snapshot, of one with ten times as many pages, and of one with a hundred chunks,
 * with the built function, and one of documents that do not repeat.
 */
export async function benchTables({ quick }: { quick: boolean }): Promise<Report> {
  const documents = quick ? 10_000 : 1_000_000
  const root = await writeSnapshots(documents, bytes)
  const distinctRoot = await writeDistinctSnapshot(documents, bytes)
  const repeats = quick ? 1 : 3
  const repeating = await besideDuckDb(root, { documents, repeats })
  const distinct = await besideDuckDb(distinctRoot, { documents, repeats })
  const ofDistinct = await makeTable(distinctRoot, configuredColumns, { times: 1 })
  const one = await makeTable(root, configuredColumns, { times: 1 })
  const ten = await makeTable(root, configuredColumns, { times: 10 })
  const hundred = await makeTable(root, configuredColumns, { times: quick ? 20 : 66, written: 1 })
  const dollars = Math.max(...[one, ofDistinct].map((tasks) => (costOf(tasks) * 1e6) / documents))
  return {
    title: 'Typed tables: documents of 1 KB to Parquet with 20 columns and the schema report; seconds',
    columns: ['', 'documents', 'processor s', 'peak MB'],
    rows: [
      row('Longshore, conversion', documents, repeating.mine),
      ...(repeating.peer ? [row('DuckDB, conversion, one thread', documents, repeating.peer)] : []),
      row('Longshore, conversion, distinct documents', documents, distinct.mine),
      ...(distinct.peer
        ? [row('DuckDB, conversion, one thread, distinct documents', documents, distinct.peer)]
        : []),
      row(`Longshore, all tasks, chunks: ${one.chunks}`, documents, one),
      row(`Longshore, all tasks, chunks: ${ten.chunks}`, 10 * documents, ten),
      row(`Longshore, all tasks, distinct documents, chunks: ${ofDistinct.chunks}`, documents, ofDistinct),
    ],
    targets: [
      atMost(`${count(documents)} documents: processor time`, one.cpuSeconds, '60 s'),
      atMost(
        `Processor time per document, ${count(10 * documents)} over ${count(documents)}`,
        ten.cpuSeconds / 10 / one.cpuSeconds,
        '1.1 x',
      ),
      atMostHalf(
        'Peak',
        Math.max(...[one, ten, ofDistinct].map(({ peakMegabytes }) => peakMegabytes)),
        memoryMegabytes,
      ),
      atMost(`Commit of ${hundred.chunks} chunks`, hundred.commitSeconds, '2 s'),
      atMost('Cost of a million documents', 100 * dollars, '0.3 cents'),
    ],
    notes: repeating.peer ? [] : ['Skipped DuckDB: it needs Python 3.11 or later.'],
  }
}

/** Medians of conversions that alternate, so that a busy machine slows down both. Without Python there is no peer. */
async function besideDuckDb(
  root: string,
  { documents, repeats }: { readonly documents: number; readonly repeats: number },
) {
  const folder = join(root, runPrefix(entity, baseRun))
  const output = join(folder, 'table.parquet')
  const ours: TableFigures[] = []
  const peers: TableFigures[] = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    const args = [root, manifestKey(entity, baseRun), output, JSON.stringify(columns)]
    ours.push(await measure('tables', { arguments: args, nodeOptions: lambdaOptions(memoryMegabytes) }))
    const peer = await duckDbTable(folder)
    if (peer) peers.push(peer)
  }
  for (const { rows } of [...ours, ...peers]) {
    if (rows !== documents) throw new Error(`${rows} of ${documents} documents became rows.`)
  }
  return { mine: medianFigures(ours), peer: peers.length > 0 ? medianFigures(peers) : undefined }
}

/**
 * A function with one processor takes the processor time of its tasks. They read the manifest and 1,000 pages, write the
 * plan, the chunks and the commit, and pass a state for each task and five more.
 */
function costOf({ cpuSeconds, chunks }: TableTasks): number {
  return (
    cpuSeconds * (memoryMegabytes / 1024) * prices.lambdaGigabyteSecond +
    1025 * prices.s3Get +
    (10 + 4 * chunks) * prices.s3Put +
    (5 + chunks) * prices.stepFunctionsTransition +
    (2 + chunks) * prices.lambdaRequest +
    prices.event
  )
}

const row = (name: string, documents: number, figures: Pick<Figures, 'cpuSeconds' | 'peakMegabytes'>) => [
  name,
  count(documents),
  figure(figures.cpuSeconds),
  figure(figures.peakMegabytes),
]

function duckDbTable(folder: string): Promise<TableFigures | undefined> {
  const selected = table.map(([name, , , expression]) => `${expression} AS ${name}`).join(', ')
  return duckDb('duckdb_tables.py', [folder, join(folder, 'duckdb.parquet'), duckDbColumns, selected])
}

/** With this much memory a function has one processor. */
const memoryMegabytes = 1769
const runId = '20261103T000000000Z-000000000000'

type Entity = NonNullable<ConfigurationInput['entities']>[number]

export interface TableTasks {
  readonly chunks: number
  /** Of all tasks. */
  readonly cpuSeconds: number
  readonly peakMegabytes: number
  readonly commitSeconds: number
}

/**
 * Makes a table with the built function, each task in a process of its own. The snapshot has the pages of the base
 * several times. With `written`, only this many chunks and the last one, which may be smaller, are written, and what the
 * first one has stored is copied for the others.
 */
async function makeTable(
  folder: string,
  columns: NonNullable<Entity['columns']>,
  { times, written = Number.POSITIVE_INFINITY }: { readonly times: number; readonly written?: number },
): Promise<TableTasks> {
  rmSync(join(folder, tablePrefix(entity)), { recursive: true, force: true })
  publishRepeated(folder, times)
  await using aws = await startServer<Record<string, string>>('files', { folder })
  const entities = [{ name: entity, schedule: 'rate(1 day)' as const, columns }]
  using deployment = functionEnvironment('http://127.0.0.1', aws.ready, { entities })
  const tasks: Figures[] = []
  const run = async <T>(event: object): Promise<T> => {
    const task = await measure<Figures & { result: T }>('task', {
      arguments: ['tables', JSON.stringify(event)],
      variables: deployment.variables,
      nodeOptions: lambdaOptions(memoryMegabytes),
    })
    tasks.push(task)
    return task.result
  }
  const { plan, chunks } = await run<PlannedTable>({ task: 'plan-table', run: { entity, runId } })
  const name = { entity, runId, plan }
  const outcomes: ChunkOutcome[] = []
  for (const chunk of chunks) {
    const [first] = outcomes
    outcomes.push(
      first && chunk >= written && chunk !== chunks.at(-1)
        ? copyChunk(folder, { ...name, chunk, from: first })
        : await run<ChunkOutcome>({ task: 'write-chunk', ...name, chunk }),
    )
  }
  const committed = await run<TableResult>({ task: 'commit-table', ...name, written: outcomes })
  if (committed.status !== 'published')
    throw new Error(`The table was not published: ${JSON.stringify(committed)}`)
  return {
    chunks: chunks.length,
    cpuSeconds: tasks.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    peakMegabytes: Math.max(...tasks.map(({ peakMegabytes }) => peakMegabytes)),
    commitSeconds: tasks.at(-1)?.seconds ?? Number.NaN,
  }
}

/** Publishes a snapshot that has the pages of the base several times. Their ids count as different ones. */
function publishRepeated(folder: string, times: number): void {
  const base = JSON.parse(readFileSync(join(folder, manifestKey(entity, baseRun)), 'utf8')) as Manifest
  const documents = base.documents * times
  const pages = Array.from({ length: times }, () => base.pages).flat()
  const manifest: Manifest = {
    ...base,
    runId,
    documents,
    uniqueIds: documents,
    reportedTotal: documents,
    pages,
  }
  const path = join(folder, manifestKey(entity, runId))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(manifest))
  publishSnapshot(folder, runId)
}

/** Stores the result of a chunk for another one. */
function copyChunk(
  folder: string,
  { chunk, from, ...plan }: PlanName & { readonly chunk: number; readonly from: ChunkOutcome },
): ChunkOutcome {
  if (from.status === 'failed') throw new Error(from.reason)
  const stored = readFileSync(join(folder, chunkResultKey(plan, from.name)), 'utf8')
  const { pages } = JSON.parse(readFileSync(join(folder, chunkKey(plan, chunk)), 'utf8')) as ChunkPlan
  const rows = pages.reduce((sum, { documents }) => sum + documents, 0)
  const result: ChunkResult = { ...(JSON.parse(stored) as ChunkResult), chunk, rows }
  const name = `${chunk}-copy`
  writeFileSync(join(folder, chunkResultKey(plan, name)), JSON.stringify(result))
  return { status: 'written', name }
}
