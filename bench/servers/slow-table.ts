import { argv } from 'node:process'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { awsEnvironment, clientSettings } from '../../local/embedded/environment.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { manyEntitySettings, writeManyRuns } from '../../test/many-entities.ts'
import { startSlowTable } from '../../test/slow-table.ts'
import { table } from '../names.ts'
import { ready } from './ready.ts'

/** A state table with the runs of many entities. Sends its endpoint and the environment variables with it. */
export interface SlowTableOptions {
  readonly entities: number
  readonly runs: number
  /** The delay before each response. */
  readonly delayMs: number
}

const { entities, runs, delayMs }: SlowTableOptions = JSON.parse(argv[2] ?? '{}')
const { endpoint } = await startDynamoDb({ table })
const client = new DynamoDBClient({ ...clientSettings, endpoint })
const now = Date.now()
await writeManyRuns(createStateStore(connectTable(table, client)), {
  entities: manyEntitySettings(entities),
  runs,
  now,
})
const slow = await startSlowTable(endpoint, delayMs)
ready({ endpoint: slow.endpoint, variables: awsEnvironment({ dynamoDb: slow.endpoint }) })
