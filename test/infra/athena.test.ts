import { beforeAll, describe, expect, it, test } from 'vitest'
import { tableKey } from '../../functions/state/manifest.ts'
import { type Bundle, permissions, synthesise } from './synthesise.ts'

const entities = ['CL', 'ad_x-1'].map((name) => ({ name, schedule: 'rate(6 hours)' }))

let bundle: Bundle
beforeAll(() => {
  bundle = synthesise({ name: 'My-Shop', entities })
})

const tables = () => bundle.of('AWS::Glue::Table').map(({ properties }) => properties)
const locations = () =>
  tables().map(({ TableInput }) => JSON.stringify(TableInput.StorageDescriptor.Location))

describe('the Athena stack', () => {
  it('has a table for each entity in one database, which an output names', () => {
    expect(bundle.outputs['My-ShopAthena.SnapshotDatabaseName']).toBe('my_shop_snapshots')
    const [database] = bundle.of('AWS::Glue::Database')
    expect(database?.properties.DatabaseInput.Name).toBe('my_shop_snapshots')
    expect(tables().map(({ DatabaseName, TableInput }) => [DatabaseName, TableInput.Name])).toEqual([
      ['my_shop_snapshots', 'cl'],
      ['my_shop_snapshots', 'ad_x_1'],
    ])
  })

  it('reads the lists of pages that the worker writes, and nothing under snapshots/', () => {
    const folders = ['CL', 'ad_x-1'].map((entity) => tableKey(entity).replace(/[^/]*$/, ''))
    expect(locations()).toEqual(folders.map((folder) => expect.stringContaining(`"/${folder}"]`)))
    for (const { TableInput } of tables())
      expect(TableInput.StorageDescriptor).toMatchObject({
        InputFormat: 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat',
        Columns: [{ Name: 'document', Type: 'string' }],
      })
  })

  it('is the only stack with Glue resources, and no stack depends on it', () => {
    const glue = bundle.resources.filter(({ type }) => type.startsWith('AWS::Glue::'))
    expect(new Set(glue.map(({ stack }) => stack))).toEqual(new Set(['My-ShopAthena']))
    const { Outputs } = JSON.parse(bundle.templates['My-ShopAthena'] ?? '')
    expect(Object.values(Outputs).filter((output) => 'Export' in (output as object))).toEqual([])
    expect(bundle.dependencies['My-ShopAthena']).toEqual(['My-ShopStorage'])
    for (const [stack, dependencies] of Object.entries(bundle.dependencies))
      expect([stack, dependencies]).not.toEqual([stack, expect.arrayContaining(['My-ShopAthena'])])
  })

  it('does not exist with athena: false', () => {
    const without = synthesise({ name: 'My-Shop', entities, athena: false })
    expect(Object.keys(without.templates)).not.toContain('My-ShopAthena')
    expect(Object.values(without.templates).join()).not.toContain('AWS::Glue::')
  })

  it('holds the maximum number of entities', () => {
    const full = synthesise({
      entities: Array.from({ length: 400 }, (_, index) => ({ name: `E${index}`, schedule: 'rate(1 day)' })),
    })
    for (const template of Object.values(full.templates))
      expect(Object.keys(JSON.parse(template).Resources).length).toBeLessThanOrEqual(500)
  })
})

test('only the worker may replace the lists of pages, and nothing may delete them', () => {
  const grants = permissions(bundle).filter(({ resources }) =>
    JSON.stringify(resources).includes('/tables/*'),
  )
  expect(grants.map(({ policy }) => policy.replace(/DefaultPolicy.*/, ''))).toEqual(['WorkerRole'])
  expect(grants.flatMap(({ actions }) => actions)).toEqual(['s3:GetObject', 's3:PutObject'])
})
