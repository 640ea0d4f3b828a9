import { beforeAll, describe, expect, it } from 'vitest'
import { tableKey } from '../../functions/state/manifest.ts'
import { tableNames } from '../../lib/constructs/snapshot-tables.ts'
import { type Bundle, permissions, synthesise } from './synthesise.ts'

let bundle: Bundle
beforeAll(() => {
  bundle = synthesise({
    name: 'My-Shop',
    entities: ['CL', 'ad_x-1'].map((name) => ({ name, schedule: 'rate(6 hours)' })),
  })
})

const tables = () => bundle.of('AWS::Glue::Table').map(({ properties }) => properties)
const locations = () =>
  tables().map(({ TableInput }) => JSON.stringify(TableInput.StorageDescriptor.Location))

describe('the tables of the snapshots', () => {
  it('are one for each entity, in one database that an output names', () => {
    expect(bundle.outputs['My-ShopStorage.SnapshotDatabaseName']).toBe('my_shop_snapshots')
    const [database] = bundle.of('AWS::Glue::Database')
    expect(database?.properties.DatabaseInput.Name).toBe('my_shop_snapshots')
    expect(tables().map(({ DatabaseName, TableInput }) => [DatabaseName, TableInput.Name])).toEqual([
      ['my_shop_snapshots', 'cl'],
      ['my_shop_snapshots', 'ad_x_1'],
    ])
  })

  it('read what the worker lists, and nothing below snapshots/', () => {
    const folders = ['CL', 'ad_x-1'].map((entity) => tableKey(entity).replace(/[^/]*$/, ''))
    expect(locations()).toEqual(folders.map((folder) => expect.stringContaining(`"/${folder}"]`)))
    for (const { TableInput } of tables())
      expect(TableInput.StorageDescriptor).toMatchObject({
        InputFormat: 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat',
        Columns: [{ Name: 'document', Type: 'string' }],
      })
  })

  it('are moved by the worker and by nobody else, and removed by nobody', () => {
    const grants = permissions(bundle).filter(({ resources }) =>
      JSON.stringify(resources).includes('/tables/*'),
    )
    expect(grants.map(({ policy }) => policy.replace(/DefaultPolicy.*/, ''))).toEqual(['WorkerRole'])
    expect(grants.flatMap(({ actions }) => actions)).toEqual(['s3:GetObject', 's3:PutObject'])
  })

  it('leave room for as many entities as a stack may have', () => {
    const most = synthesise({
      entities: Array.from({ length: 400 }, (_, index) => ({ name: `E${index}`, schedule: 'rate(1 day)' })),
    })
    for (const stack of Object.values(most.templates))
      expect(Object.keys(JSON.parse(stack).Resources).length).toBeLessThanOrEqual(500)
  })
})

describe('a table’s name', () => {
  it.each([
    ['in small letters', ['CL'], ['cl']],
    ['without -', ['A-b_C'], ['a_b_c']],
    [
      'with an ending where two would be the same',
      ['CL', 'cl', 'AD'],
      [/^cl_[0-9a-f]{8}$/, /^cl_[0-9a-f]{8}$/, 'ad'],
    ],
  ])('is %s', (_how, entities, expected) => {
    const names = [...tableNames(entities).values()]
    expect(new Set(names).size).toBe(entities.length)
    for (const [index, name] of names.entries()) expect(name).toMatch(expected[index] as string | RegExp)
  })
})
