import { expect, it } from 'vitest'
import { resolveConfig } from '../../../../lib/config.ts'
import { tableQueries } from '../../../../operator/tables/queries.ts'

const metadata = 'iceberg/Cl-1/metadata/20260301T060000000Z-0123456789ab-1.metadata.json'
const stacks = { kind: 'stacks', config: undefined, name: undefined } as const

function queriesOf(keys: object, target: Parameters<typeof tableQueries>[2] = stacks) {
  const configuration = resolveConfig({ upstream: { baseUrl: 'https://shop.example.com' }, ...keys })
  const stateMachineArn = 'arn:aws:states:eu-west-1:111122223333:stateMachine:Sync'
  const deployment = { configuration, bucket: 'the-bucket', stateMachineArn }
  return tableQueries(deployment, { entity: 'Cl-1', latest: { metadata } }, target)
}

it('DuckDB reads the metadata in the region of the deployment, and Athena the table in Glue', () => {
  expect(queriesOf({ name: 'My-Shop' })).toEqual([
    {
      engine: 'DuckDB',
      text: [
        'INSTALL iceberg; LOAD iceberg;',
        "CREATE SECRET (TYPE s3, PROVIDER credential_chain, REGION 'eu-west-1');",
        `SELECT * FROM iceberg_scan('s3://the-bucket/${metadata}') LIMIT 10;`,
      ].join('\n'),
    },
    { engine: 'Athena', text: 'SELECT * FROM "my_shop_snapshots_tables"."cl_1" LIMIT 10;' },
  ])
})

it('there is no query for Athena without Glue', () => {
  expect(queriesOf({ athena: false }).map(({ engine }) => engine)).toEqual(['DuckDB'])
})

it('the query of npm start reads the access keys from its file and does not contain them', () => {
  const [query, ...others] = queriesOf({}, { kind: 'local', path: '/tmp/a "b"/instance.json' })
  expect(others).toEqual([])
  expect(query?.engine).toBe('PyIceberg')
  expect(query?.text).toContain('open("/tmp/a \\"b\\"/instance.json")')
  expect(query?.text).toContain(`s3://the-bucket/${metadata}`)
})
