import {
  ConcurrentModificationException,
  EntityNotFoundException,
  GlueClient,
  GlueServiceException,
} from '@aws-sdk/client-glue'
import { describe, expect, it } from 'vitest'
import { clientSettings } from '../../../../local/embedded/environment.ts'
import { type Catalog, openCatalog } from '../../../../stored/glue/catalog.aws.ts'
import { glueTable } from '../../../../stored/glue/table-input.ts'

const table = glueTable(
  {
    columns: {
      orders: { id: 1, type: 'long', from: ['orders'] },
      tags: { id: 4, type: 'json', from: ['tags'] },
      total: { id: 5, type: 'decimal(18,2)', from: ['total'] },
    },
  },
  { location: 's3://bucket/iceberg/CL', metadata: 's3://bucket/m' },
)

/** What is sent to Glue, which responds with this. */
function catalogWith(respond: () => Promise<object>) {
  const sent: object[] = []
  const client = new GlueClient(clientSettings)
  const reply =
    () =>
    async ({ input }: { readonly input: object }) => {
      sent.push(input)
      return { output: { $metadata: {}, ...(await respond()) }, response: {} }
    }
  client.middlewareStack.add(reply, { step: 'initialize' })
  return { sent, catalog: openCatalog('db', client) }
}

const refusal = { message: '', $metadata: {} }

describe('the Glue catalog', () => {
  it('changes the version of a table that was read, and keeps no archive of it', async () => {
    const { sent, catalog } = catalogWith(async () => ({}))
    expect(await catalog.update('cl', table, '7')).toBe(true)
    expect(sent).toMatchObject([
      {
        DatabaseName: 'db',
        VersionId: '7',
        SkipArchive: true,
        TableInput: {
          Name: 'cl',
          TableType: 'EXTERNAL_TABLE',
          Parameters: { table_type: 'ICEBERG', metadata_location: 's3://bucket/m' },
          StorageDescriptor: {
            Location: 's3://bucket/iceberg/CL',
            Columns: [
              { Name: 'orders', Type: 'bigint', Parameters: { 'iceberg.field.id': '1' } },
              { Name: 'tags', Type: 'string', Parameters: { 'iceberg.field.id': '4' } },
              { Name: 'total', Type: 'decimal(18,2)', Parameters: { 'iceberg.field.id': '5' } },
            ],
          },
        },
      },
    ])
  })

  it.each([
    ['has changed', new ConcurrentModificationException(refusal)],
    ['has deleted', new EntityNotFoundException(refusal)],
  ])('leaves a table alone that somebody %s since then', async (_, error) => {
    const { catalog } = catalogWith(() => Promise.reject(error))
    expect(await catalog.update('cl', table, '7')).toBe(false)
  })

  it.each<[name: string, call: (catalog: Catalog) => Promise<unknown>]>([
    ['read', (catalog) => catalog.read('cl')],
    ['create', (catalog) => catalog.create('cl', table)],
    ['update', (catalog) => catalog.update('cl', table, '7')],
    ['drop', (catalog) => catalog.drop('cl')],
  ])('fails to %s a table if Glue refuses that for any other reason', async (_, call) => {
    const error = new GlueServiceException({ name: 'AccessDeniedException', $fault: 'client', $metadata: {} })
    const { catalog } = catalogWith(() => Promise.reject(error))
    await expect(call(catalog)).rejects.toBe(error)
  })
})
