import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schemaChangesKey, schemaReportKey } from '../../stored/snapshots/manifest.ts'
import { type TableLatest, tableFailureKey, tableLatestKey } from '../../stored/tables/table.ts'
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
  const snapshots = [{ 'snapshot-id': 1, summary }]
  await put(latest.metadata, { 'current-snapshot-id': 1, snapshots })
  await put(tableLatestKey('CL'), latest)
}

const longshore = (args: string) => world.begin(args, { config }).ended

async function publishedRun(): Promise<string> {
  const { stdout } = await longshore('runs CL --json')
  return JSON.parse(stdout).runs[0].runId
}

describe('table', () => {
  it('names no table before the first snapshot', async () => {
    const { code, stdout } = await longshore('table CL')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'CL: No snapshot is published, so there is no table yet.\n',
    })
  })

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

  it('can be read by a script', async () => {
    const runId = await publishedRun()
    const { stdout } = await longshore('table CL --json')
    const text = expect.any(String)
    expect(JSON.parse(stdout)).toEqual({
      entity: 'CL',
      state: { kind: 'current' },
      table: { ...table(runId), committedAt: text },
      published: {
        runId,
        manifest: `snapshots/CL/${runId}/manifest.json`,
        publishedAt: text,
        documents: 95,
        sha256: text,
      },
      queries: [
        { engine: 'DuckDB', text },
        { engine: 'Athena', text },
      ],
    })
  })

  it('names a failure of Glue, as status does, and exits with 0: the table is published', async () => {
    const runId = await publishedRun()
    const { committedAt: since } = table(runId)
    const glue = { state: 'failed', reason: 'AccessDeniedException', since } as const
    await putTable({ ...table(runId), glue })
    const text = `Glue could not be updated for the table of run ${runId} (AccessDeniedException).`
    const { code, stdout } = await longshore('table CL')
    expect(code).toBe(0)
    expect(stdout).toContain(`The table matches the published snapshot. ${text}`)
    const status = JSON.parse((await longshore('status --json')).stdout)
    expect(status.problems).toContainEqual(
      expect.objectContaining({
        kind: 'table-failed',
        entity: 'CL',
        evidence: expect.stringContaining(`CL: ${text}`),
        action: expect.stringMatching(/^In Lake Formation, grant access /),
        command: 'sync CL --watch',
      }),
    )
  })

  it('notes in status how the fields changed, which needs no attention', async () => {
    const runId = await publishedRun()
    const changes = {
      version: 1,
      entity: 'CL',
      runId,
      added: ['town'],
      removed: ['city'],
      retyped: [],
      counts: { added: 1, removed: 1, retyped: 0 },
    }
    await putTable(table(runId))
    await put(schemaChangesKey('CL', runId), changes)
    const text = `CL: The fields of the documents changed in run ${runId}: added town; removed city.`
    expect((await longshore('status')).stdout).toContain(`\n- ${text}\n`)
    const status = JSON.parse((await longshore('status --json')).stdout)
    const ofCl = status.problems.filter(({ entity }: { entity?: string }) => entity === 'CL')
    expect(ofCl).toMatchObject([{ kind: 'schema-changed', level: 'note', command: 'columns CL' }])
  })

  it('exits with 1 if the table of the published snapshot failed, and so do status and doctor', async () => {
    const runId = await publishedRun()
    await putTable(table('20200101T000000000Z-0123456789ab'))
    const failedAt = new Date(Date.now() - 90_000).toISOString()
    await put(tableFailureKey('CL'), { runId, reason: 'The table would have 94 rows.', failedAt })
    const text = `The table of run ${runId} failed: The table would have 94 rows. The table is from run 20200101T000000000Z-0123456789ab.`
    const { code, stdout } = await longshore('table CL')
    expect(code).toBe(1)
    expect(stdout).toMatch(/ Since \d{4}-\d\d-\d\d \d\d:\d\d UTC \(\d+ s ago\)\.$/m)
    const status = JSON.parse((await longshore('status --json')).stdout)
    expect(status.problems).toContainEqual(
      expect.objectContaining({
        kind: 'table-failed',
        entity: 'CL',
        since: failedAt,
        evidence: `CL: ${text}`,
        command: expect.stringContaining('sync CL --watch'),
      }),
    )
  })

  it('is reported as being built after it was deleted, and as missing since a table has failed', async () => {
    const runId = await publishedRun()
    await world.stores.s3.send(
      new DeleteObjectCommand({ Bucket: world.stores.bucket, Key: tableLatestKey('CL') }),
    )
    const failedAt = new Date(Date.now() - 90_000).toISOString()
    await world.stores.s3.send(
      new DeleteObjectCommand({ Bucket: world.stores.bucket, Key: tableFailureKey('CL') }),
    )
    expect(await longshore('table CL')).toMatchObject({
      code: 0,
      stdout: 'CL: The table of the published snapshot is being built.\n',
    })
    // It stays failed while the table of a newer snapshot is being built.
    const older = { runId: '20200101T000000000Z-0123456789ab', reason: 'Old.', failedAt }
    await put(tableFailureKey('CL'), older)
    expect(await longshore('table CL')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('failed: Old. There is no table.') as string,
    })
    await put(tableFailureKey('CL'), { runId, reason: 'The table would have 94 rows.', failedAt })
    const { code, stdout } = await longshore('table CL --json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      state: {
        kind: 'behind',
        runId,
        tableRun: null,
        since: failedAt,
        reason: 'The table would have 94 rows.',
      },
      table: null,
      queries: [],
    })
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

  it('doctor counts the documents with half of a surrogate pair', async () => {
    const runId = await publishedRun()
    await put(schemaReportKey('CL', runId), { version: 1, documents: 95, loneSurrogates: 2, fields: [] })
    const { stdout } = await longshore('doctor --json')
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({
        level: 'note',
        about: 'entities',
        text: expect.stringContaining(
          'CL: 2 documents in the published snapshot contain half of a surrogate pair',
        ),
      }),
    )
  })

  it.each(['table', 'columns'])(
    '%s names the configured entities if the entity is not one of them',
    async (command) => {
      const { code, stdout, stderr } = await longshore(`${command} CK`)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain('The entity CK is not configured.')
      expect(stderr).toContain('CL')
    },
  )

  it('columns are not proposed before the first snapshot, and the error names the sync that makes one', async () => {
    const { code, stdout, stderr } = await longshore('columns AD')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('No snapshot of AD has been published.')
    expect(stderr).toContain('sync AD --watch')
  })

  it('explains what is missing if the entity has no columns', async () => {
    const { code, stderr } = await world.longshore('table CL')
    expect(code).toBe(1)
    expect(stderr).toContain('CL has no columns in the configuration, so it has no table.')
    expect(stderr).toContain('docs/tables.md')
  })
})
