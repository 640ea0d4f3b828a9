import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startDynamoDb } from '../../../../local/embedded/dynamodb.aws.ts'
import { awsEnvironment, clientSettings } from '../../../../local/embedded/environment.ts'
import type { Served } from '../../../../local/embedded/listen.ts'
import type { ExecutionState } from '../../../../operator/aws/executions.aws.ts'
import { isDriven } from '../../../../operator/sync/is-driven.ts'
import { connectTable } from '../../../../stored/dynamodb/connect.aws.ts'
import { openTable } from '../../../../stored/dynamodb/state-table.ts'

let served: Served
beforeAll(async () => {
  served = await startDynamoDb({ table: 'state' })
  for (const [name, value] of Object.entries(awsEnvironment({ dynamoDb: served.endpoint })))
    vi.stubEnv(name, value)
  const table = openTable(
    connectTable('state', new DynamoDBClient({ ...clientSettings, endpoint: served.endpoint })),
  )
  const run = { pk: 'entity#CL', status: 'running' }
  await table.put({ ...run, sk: 'run#by-execution', runId: 'by-execution', execution: 'arn:e' })
  await table.put({ ...run, sk: 'run#direct', runId: 'direct' })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await served.close()
})

const ended: ExecutionState = { kind: 'ended', status: 'ABORTED', cause: undefined }

it.each<[name: string, runId: string, state: ExecutionState, read: string[], driven: boolean]>([
  ['an execution that is running', 'by-execution', { kind: 'running' }, ['arn:e'], true],
  ['no execution that has ended', 'by-execution', ended, ['arn:e'], false],
  ['a direct invocation of the worker', 'direct', ended, [], true],
  ['an unknown one if its item is gone', 'gone', ended, [], true],
])('a run in progress is driven by %s', async (...[, runId, state, expected, driven]) => {
  const read: string[] = []
  const executions = {
    read: async (execution: string) => {
      read.push(execution)
      return state
    },
  }
  expect(await isDriven({ entity: 'CL', runId }, { table: 'state', executions })).toBe(driven)
  expect(read).toEqual(expected)
})
