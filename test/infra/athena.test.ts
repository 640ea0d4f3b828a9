import { beforeAll, describe, expect, it } from 'vitest'
import { changesTableKey } from '../../stored/changes/change-keys.ts'
import { tableKey } from '../../stored/snapshots/manifest.ts'
import { type Bundle, synthesize } from './synthesize.ts'

const schedule = 'rate(6 hours)'
const entities = [
  { name: 'CL', schedule },
  { name: 'ad_x-1', schedule, changes: false as const },
]

let bundle: Bundle
beforeAll(() => {
  bundle = synthesize({ name: 'My-Shop', entities })
})

const tables = () => bundle.of('AWS::Glue::Table').map(({ properties }) => properties)
const locations = () =>
  tables().map(({ TableInput }) => JSON.stringify(TableInput.StorageDescriptor.Location))

describe('the Athena stack', () => {
  it('has the tables of each entity in one database, which an output names', () => {
    expect(bundle.outputs['My-ShopAthena.SnapshotDatabaseName']).toBe('my_shop_snapshots')
    expect(bundle.outputs['My-ShopAthena.TableDatabaseName']).toBe('my_shop_snapshots_tables')
    const databases = bundle.of('AWS::Glue::Database').map(({ properties }) => properties.DatabaseInput.Name)
    expect(databases).toEqual(['my_shop_snapshots', 'my_shop_snapshots_tables'])
    expect(tables().map(({ DatabaseName, TableInput }) => [DatabaseName, TableInput.Name])).toEqual([
      ['my_shop_snapshots', 'cl'],
      ['my_shop_snapshots', 'cl_changes'],
      ['my_shop_snapshots', 'ad_x_1'],
    ])
  })

  it('reads the lists of pages that the worker writes, and nothing under snapshots/', () => {
    const keys = [tableKey('CL'), changesTableKey('CL'), tableKey('ad_x-1')]
    const folders = keys.map((key) => key.replace(/[^/]*$/, ''))
    expect(locations()).toEqual(folders.map((folder) => expect.stringContaining(`"/${folder}"]`)))
    for (const { TableInput } of tables())
      expect(TableInput.StorageDescriptor).toMatchObject({
        InputFormat: 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat',
      })
    const columns = tables().map(({ TableInput }) =>
      TableInput.StorageDescriptor.Columns.map(({ Name }: { Name: string }) => Name),
    )
    expect(columns).toEqual([['document'], ['op', 'id', 'before', 'after'], ['document']])
  })

  it('is the only stack with Glue resources, and no stack depends on it', () => {
    const glue = bundle.resources.filter(({ type }) => type.startsWith('AWS::Glue::'))
    expect(new Set(glue.map(({ stack }) => stack))).toEqual(new Set(['My-ShopAthena']))
    const { Outputs } = JSON.parse(bundle.templates['My-ShopAthena'] ?? '')
    expect(Object.values(Outputs).filter((output) => 'Export' in (output as object))).toEqual([])
    // It is deployed last, since a deployment stops at the first stack that fails.
    expect(bundle.dependencies['My-ShopAthena']?.toSorted()).toEqual(
      ['My-ShopStorage', 'My-ShopSync', 'My-ShopApi', 'My-ShopMonitoring'].toSorted(),
    )
    for (const [stack, dependencies] of Object.entries(bundle.dependencies))
      expect([stack, dependencies]).not.toEqual([stack, expect.arrayContaining(['My-ShopAthena'])])
  })

  it('does not exist with athena: false', () => {
    const without = synthesize({ name: 'My-Shop', entities, athena: false })
    expect(Object.keys(without.templates)).not.toContain('My-ShopAthena')
    expect(Object.values(without.templates).join()).not.toContain('AWS::Glue::')
  })

  it.each([
    [245, true],
    [400, false],
  ])('and all other stacks fit %i entities with athena: %s', (length, athena) => {
    const full = synthesize({
      athena,
      entities: Array.from({ length }, (_, index) => ({ name: `E${index}`, schedule: 'rate(1 day)' })),
    })
    for (const template of Object.values(full.templates))
      expect(Object.keys(JSON.parse(template).Resources).length).toBeLessThanOrEqual(500)
  })
})
