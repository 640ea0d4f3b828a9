import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectTable } from '../../../../functions/state/dynamodb/connect.aws.ts'
import { openTable } from '../../../../functions/state/dynamodb/state-table.ts'
import { startDynamoDb } from '../../../../local/embedded/dynamodb.aws.ts'
import { awsEnvironment, clientSettings } from '../../../../local/embedded/environment.ts'
import type { Served } from '../../../../local/embedded/listen.ts'
import type { ExecutionState } from '../../../../operator/aws/executions.aws.ts'
import { currentRun } from '../../../../operator/sync/current-run.ts'

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

describe('the run in progress', () => {
  const ended: ExecutionState = { kind: 'ended', status: 'ABORTED', cause: undefined }

  it.each<[name: string, running: string | null, state: ExecutionState, read: string[], current?: string]>([
    ['none if none is running', null, ended, []],
    ['the running one', 'by-execution', { kind: 'running' }, ['arn:e'], 'by-execution'],
    ['none if its execution has ended', 'by-execution', ended, ['arn:e']],
    ['the running one if the worker was invoked directly', 'direct', ended, [], 'direct'],
    ['the running one if its item is gone', 'gone', ended, [], 'gone'],
  ])('is %s', async (...[, running, state, expected, current]) => {
    const read: string[] = []
    const options = {
      deployment: { table: 'state' },
      syncs: { read: async () => ({ running: running === null ? null : { runId: running } }) },
      executions: {
        read: async (execution: string) => {
          read.push(execution)
          return state
        },
      },
    }
    expect((await currentRun('CL', options as never))?.runId).toBe(current)
    expect(read).toEqual(expected)
  })
})
