import { SFNClient } from '@aws-sdk/client-sfn'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AwsError, serveAwsJson } from '../../../local/embedded/aws-json-server.ts'
import { clientSettings } from '../../../local/embedded/environment.ts'
import type { Served } from '../../../local/embedded/listen.ts'
import { createExecutionStarter, type ExecutionStarter } from '../../../operator/aws/executions.aws.ts'

const startedAt = Date.parse('2026-11-21T12:00:00Z')
const starts: { name?: string; input: string }[] = []
let served: Served
let executions: ExecutionStarter
beforeAll(async () => {
  served = await serveAwsJson({
    'AWSStepFunctions.StartExecution': (input) => {
      starts.push(input)
      // The response to the first request is lost.
      if (starts.length === 1) throw new Error('lost')
      return { executionArn: `arn:${input.name}`, startDate: startedAt / 1000 }
    },
    'AWSStepFunctions.DescribeExecution': ({ executionArn }) => {
      if (executionArn === 'gone') throw new AwsError('ExecutionDoesNotExist', 'gone')
      return { status: executionArn, cause: 'Why.' }
    },
  })
  const client = new SFNClient({ ...clientSettings, endpoint: served.endpoint })
  executions = createExecutionStarter('machine', client)
})
afterAll(() => served.close())

it('a start that the SDK repeats has the name of its first request, so that one execution begins', async () => {
  const { id, startedAt: time } = await executions.start({ entity: 'CL' })
  const [first, second] = starts
  expect(second).toEqual(first)
  expect([id, time]).toEqual([`arn:${first?.name}`, startedAt])
  expect(JSON.parse(first?.input ?? '')).toEqual({ entity: 'CL' })
  await executions.start({ entity: 'CL' })
  expect(starts[2]?.name).not.toBe(first?.name)
})

it.each([
  ['RUNNING', { kind: 'running' }],
  ['FAILED', { kind: 'ended', status: 'FAILED', cause: 'Why.' }],
  ['SUCCEEDED', { kind: 'ended', status: 'SUCCEEDED', cause: 'Why.' }],
  ['gone', { kind: 'ended', status: 'deleted', cause: undefined }],
])('an execution that is %s is read', async (status, state) => {
  expect(await executions.read(status)).toEqual(state)
})
