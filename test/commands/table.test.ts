import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schemaReportKey } from '../../stored/snapshots/manifest.ts'
import { type TableLatest, tableLatestKey } from '../../stored/tables/table.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
let config: string
beforeAll(async () => {
  world = await startCliWorld()
  const columns = {
    id: 'string',
    createdIn: 'timestamp',
    city: { from: 'address\\.new.city', type: 'string' },
    constructor: 'int',
  }
  config = world.writeConfiguration('tables.json', { columns })
})
afterAll(() => world.close())

const put = (Key: string, value: object) =>
  world.stores.s3.send(
    new PutObjectCommand({ Bucket: world.stores.bucket, Key, Body: JSON.stringify(value) }),
  )

const table = (runId: string): TableLatest => ({
  runId,
  metadata: `iceberg/CL/metadata/${runId}-1.metadata.json`,
  rows: 95,
  columns: {
    id: { id: 1, type: 'string', from: ['id'] },
    created_in: { id: 2, type: 'timestamp', from: ['createdIn'] },
    city: { id: 3, type: 'string', from: ['address.new', 'city'], hash: 'sha256' },
    constructor: { id: 4, type: 'int', from: ['constructor'] },
  },
  rejected: { created_in: 1234 },
  committedAt: new Date(Date.now() - 5 * 60_000).toISOString(),
  announced: true,
  glue: { state: 'current' },
  inGlue: null,
  dropped: [],
})

/** Stores what readers follow to a table without data files. */
async function putTable(latest: TableLatest): Promise<void> {
  const summary = { 'longshore.run-id': latest.runId, 'total-data-files': '0', 'total-files-size': '0' }
  await put(latest.metadata, { 'current-snapshot-id': 1, snapshots: [{ 'snapshot-id': 1, summary }] })
  await put(tableLatestKey('CL'), latest)
}

const longshore = (args: string) => world.begin(args, { config }).ended

async function publishedRun(): Promise<string> {
  const { stdout } = await longshore('runs CL --json')
  return JSON.parse(stdout).runs[0].runId
}

describe('table', () => {
  it('shows the run, the rows, the rejected values of each column, and ready queries', async () => {
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 0 })
    const runId = await publishedRun()
    await putTable(table(runId))
    const { code, stdout } = await longshore('table CL')
    expect(code).toBe(0)
    expect(stdout).toContain(
      `CL: 95 rows of run ${runId}, published 5 min ago.\nThe table matches the published snapshot.\n`,
    )
    expect(
      stdout.split('\n').filter((line) => /^(COLUMN|id|created_in|city|constructor) /.test(line)),
    ).toEqual([
      'COLUMN       TYPE             FROM               REJECTED',
      'id           string           id                 0',
      'created_in   timestamp        createdIn          1,234',
      'city         string (sha256)  address\\.new.city  0',
      'constructor  int              constructor        0',
    ])
    expect(stdout).toContain(`iceberg_scan('s3://${world.stores.bucket}/${table(runId).metadata}')`)
    expect(stdout).toContain('Athena:\n  SELECT * FROM "longshore_snapshots_tables"."cl" LIMIT 10;')
  })

  it('columns are proposed from the published snapshot or from its report', async () => {
    const { code, stdout } = await longshore('columns CL')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\/\/ CL: 95 documents in the snapshot of run .*\ncolumns: \{\n/)
    expect(stdout).toContain("  id: 'string', // all documents; string\n")
    const runId = await publishedRun()
    const counts = { string: 0, integer: 95, decimal: 0, boolean: 0, object: 0, array: 0 }
    const field = { path: 'orders', present: 95, null: 0, types: counts, timestamps: 0 }
    const sizes = { maxLength: 0, maxDigits: 3, maxScale: 0 }
    const report = { version: 1, entity: 'CL', runId, documents: 95, fields: [{ ...field, ...sizes }] }
    await put(schemaReportKey('CL', runId), { ...report, truncated: false })
    expect(JSON.parse((await longshore('columns CL --json')).stdout)).toEqual({
      entity: 'CL',
      runId,
      documents: 95,
      source: 'report',
      truncated: false,
      columns: [{ name: 'orders', type: 'long', present: 95, seen: ['integer'], isPersonal: false }],
    })
    // Of an earlier version, which took documents with many fields for maps.
    await put(schemaReportKey('CL', runId), { ...report, fields: [{ ...field, ...sizes, path: '*' }] })
    const read = JSON.parse((await longshore('columns CL --json')).stdout)
    expect(read).toMatchObject({ source: 'snapshot', documents: 95 })
    expect(read.columns).toContainEqual(expect.objectContaining({ name: 'id', type: 'string' }))
  })
})
