import { expect, it } from 'vitest'
import { reservedEntity } from '../../../functions/runtime/settings-schema/glue-names.ts'
import { runIdOfExecution } from '../../../functions/state/run/run.ts'
import { listedManifests } from '../../../functions/tables/iceberg/manifests.ts'
import { liveCost } from '../../../operator/live/cost.ts'
import { emptyTable } from '../../../operator/live/empty-table.ts'

it('the table without rows has a column of each type, and a snapshot without files', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  const runId = runIdOfExecution({ id: 'x', startedAt: now })
  const { files, inGlue } = emptyTable((key) => `s3://b/${key}`, { runId, uuid: 'u', now })
  expect(inGlue.columns.map(({ type }) => type)).toEqual([
    'string',
    'boolean',
    'int',
    'bigint',
    'double',
    'decimal(18,2)',
    'date',
    'timestamp',
    'string',
  ])
  const [list, metadata] = files
  expect(listedManifests(Buffer.from(list?.body ?? []))).toEqual([])
  expect(inGlue.parameters['metadata_location']).toBe(`s3://b/${metadata?.key}`)
  const content = JSON.parse(Buffer.from(metadata?.body ?? []).toString())
  expect(content.snapshots).toMatchObject([
    { 'snapshot-id': now, 'manifest-list': `s3://b/${list?.key}`, summary: { 'total-records': '0' } },
  ])
  for (const { key } of files) expect(key).toMatch(`iceberg/${reservedEntity}/metadata/`)
})

it.each([
  [undefined, 0.01],
  [{ typed: 0, snapshot: 0 }, 0.02],
  [{ typed: 1e9, snapshot: 4e9 }, 0.07],
  [{ typed: 50e9, snapshot: 200e9 }, 2.52],
])('what Athena reads of %j costs at most $%d', (bytes, dollars) => {
  expect(liveCost(bytes)).toBe(dollars)
})
