import { expect, it } from 'vitest'
import { entityNamed } from '../../entity-named.ts'
import { SyncApiTestbed } from './sync-api-testbed.ts'

const columns = [{ name: 'created_in', from: ['createdIn'], type: { kind: 'timestamp' } }] as const
const table = {
  runId: '20260301T060000000Z-0123456789ab',
  rows: 5000,
  rejected: { created_in: 2 },
  metadata: 'iceberg/CL/metadata/20260301T060000000Z-0123456789ab-1.metadata.json',
  committedAt: '2026-03-01T06:00:31.200Z',
}

function testbedWith(change: Parameters<typeof entityNamed>[1]) {
  const testbed = new SyncApiTestbed()
  testbed.entities = [entityNamed('CL', change)]
  return testbed
}

it('GET /syncs/{entity} names the run, the rows, the rejected values and the metadata of the table', async () => {
  const testbed = testbedWith({ columns })
  testbed.putTable(table)
  expect((await testbed.readSync()).body.table).toEqual(table)
})

it('GET /syncs/{entity} has no table before the first one is published', async () =>
  expect((await testbedWith({ columns }).readSync()).body.table).toBeNull())

it('GET /syncs/{entity} has no table without columns, even while its files are not yet removed', async () => {
  const testbed = testbedWith({ columns: undefined })
  testbed.putTable(table)
  expect((await testbed.readSync()).body.table).toBeNull()
})

it('GET /syncs does not read the tables', async () => {
  const testbed = testbedWith({ columns })
  testbed.putTable(table)
  expect((await testbed.call('GET /syncs')).body.entities[0]).not.toHaveProperty('table')
})
