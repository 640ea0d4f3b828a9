import { expect, it } from 'vitest'
import { readSchema } from '../../../../console/server/data/schema.ts'
import type { EntitySettings } from '../../../../functions/runtime/settings.ts'
import { entityNamed } from '../../../entity-named.ts'

const runIdOf = (number: number) => `20261121T1200000${String(number).padStart(2, '0')}Z-0123456789ab`

interface Stored {
  readonly settings?: Partial<EntitySettings>
  readonly table?: object
  readonly metadata?: object
  readonly report?: object
}

/** An entity with these runs, newest first, each of which has changed the fields if it was published. */
function read(statuses: readonly string[], { settings, table, metadata, report }: Stored = {}) {
  const runs = statuses.map((status, index) => ({
    runId: runIdOf(99 - index),
    status,
    endedAt: '2026-11-21T12:00:00.000Z',
  }))
  return readSchema(
    {
      deployment: {
        configuration: { entities: [entityNamed('CL', { schemaReport: true, ...settings })] },
        bucket: 'bucket',
        now: () => Date.parse('2026-11-21T12:30:00Z'),
      },
      syncs: {
        read: async () => ({ snapshot: { runId: runs[0]?.runId, publishedAt: runs[0]?.endedAt }, runs }),
      },
      tables: {
        readLatest: async () => table && { value: table },
        readFailure: async () => undefined,
        readJson: async (key: string) => (key === 'm' ? metadata : undefined),
        readReport: async (_entity: string, runId: string) => (runId === runs[0]?.runId ? report : undefined),
        async readSchemaChanges(_entity: string, runId: string) {
          const counts = { added: 1, removed: 0, retyped: 0 }
          return { version: 1, entity: 'CL', runId, added: ['x'], removed: [], retyped: [], counts }
        },
      },
      target: () => ({ kind: 'local', path: 'local.json' }),
      command: (args: string) => `longshore ${args}`,
    } as unknown as Parameters<typeof readSchema>[0],
    'CL',
  )
}

it('shows how the fields changed with the last ten published runs, whatever else ran in between', async () => {
  const statuses = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? 'published' : 'failed'))
  const { changes } = await read(statuses)
  const expected = Array.from({ length: 10 }, (_, index) => runIdOf(99 - 2 * index))
  expect(changes.map(({ runId }) => runId)).toEqual(expected)
})

const table = {
  runId: runIdOf(99),
  metadata: 'm',
  rows: 3,
  committedAt: '2026-11-21T12:10:00.000Z',
  columns: { id: { type: 'string' }, email: { type: 'string', hash: 'sha256' } },
  rejected: { email: 2 },
  glue: null,
}
const commit = (run: number, rows: number, rejected: object = {}) => ({
  'timestamp-ms': Date.parse('2026-11-21T12:00:00Z') + run,
  summary: { 'longshore.run-id': runIdOf(run), 'total-records': String(rows), ...rejected },
})
const columns = table.columns as never

it('shows the table that readers find, with its earlier publications, newest first', async () => {
  const rejected = { 'longshore.rejected.email': '2', 'longshore.rejected.id': '1' }
  const metadata = { snapshots: [commit(97, 5), commit(98, 4, rejected)] }
  expect((await read(['published'], { settings: { columns }, table, metadata })).table).toEqual({
    state: 'current',
    problem: null,
    published: {
      runId: runIdOf(99),
      rows: 3,
      committedAt: '2026-11-21T12:10:00.000Z',
      columns: [
        { name: 'id', type: 'string', rejected: 0 },
        { name: 'email', type: 'string (sha256)', rejected: 2 },
      ],
    },
    history: [
      { runId: runIdOf(98), committedAt: '2026-11-21T12:00:00.098Z', rows: 4, rejected: 3 },
      { runId: runIdOf(97), committedAt: '2026-11-21T12:00:00.097Z', rows: 5, rejected: 0 },
    ],
    queries: [{ engine: 'PyIceberg', text: expect.stringContaining('"s3://bucket/m"') }],
  })
})

it.each<[name: string, stored: Stored, row: object | null]>([
  ['none without columns', { table }, null],
  ['made', { settings: { columns } }, { state: 'pending', problem: null, published: null, history: [] }],
  [
    'not in Glue, and without its metadata',
    { settings: { columns }, table: { ...table, glue: { state: 'failed', since: 's', reason: 'Denied' } } },
    { state: 'unlisted', problem: expect.stringContaining('(Denied)'), history: [] },
  ],
])('shows a table that is %s', async (...[, stored, row]) => {
  expect(await read(['published'], stored)).toMatchObject({ table: row })
})

it('shows the report of the published snapshot, with the types that were seen', async () => {
  const field = { path: 'a', present: 4, null: 1, types: { string: 3, object: 0 }, timestamps: 2 }
  const report = { runId: runIdOf(99), documents: 5, truncated: true, fields: [field] }
  const shown = await read(['published'], { report })
  expect(shown.report).toEqual({
    runId: runIdOf(99),
    documents: 5,
    truncated: true,
    fields: [{ path: 'a', present: 4, nulls: 1, types: [{ type: 'string', count: 3 }], timestamps: 2 }],
  })
  expect([shown.columnsCommand, shown.now]).toEqual(['longshore columns CL', '2026-11-21T12:30:00.000Z'])
  const off = await read(['published'], { settings: { schemaReport: false }, report })
  expect([off.report, off.changes]).toEqual([null, []])
})
