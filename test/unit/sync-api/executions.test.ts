import { ExecutionAlreadyExists, ExecutionDoesNotExist, type SFNClient } from '@aws-sdk/client-sfn'
import { expect, it } from 'vitest'
import { createExecutionStore } from '../../../functions/syncs/executions.aws.ts'

const failing = (error: Error) =>
  createExecutionStore('arn:machine', { send: () => Promise.reject(error) } as unknown as SFNClient)

it('an execution whose name another one had is not started', async () => {
  const known = new ExecutionAlreadyExists({ message: 'the name is taken', $metadata: {} })
  expect(await failing(known).start('name', {})).toBe(false)
})

it('an execution that does not exist need not be stopped', async () => {
  const missing = new ExecutionDoesNotExist({ message: 'no such execution', $metadata: {} })
  await expect(failing(missing).stop('arn', 'Cancelled.')).resolves.toBeUndefined()
})

it('an execution that cannot be stopped is an error', async () => {
  const denied = new Error('access denied')
  await expect(failing(denied).stop('arn', 'Cancelled.')).rejects.toBe(denied)
})
