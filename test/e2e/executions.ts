import assert from 'node:assert/strict'
import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  DescribeStateMachineCommand,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'
import { killFunction } from '../processes.ts'
import { eventually } from './check.ts'
import type { CheckContext } from './context.ts'

/** Starts the state machine by hand. Returns the execution's ARN. */
export async function startExecution({ sfn, deployment }: CheckContext, input: object): Promise<string> {
  const { stateMachineArn } = deployment
  const started = await sfn.send(new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) }))
  return started.executionArn ?? ''
}

/** Waits until an execution has ended. */
export function executionEnd({ sfn }: CheckContext, executionArn: string, seconds = 120) {
  return eventually<DescribeExecutionCommandOutput>(
    'the execution is over',
    async () => {
      const execution = await sfn.send(new DescribeExecutionCommand({ executionArn }))
      return execution.status === 'RUNNING' ? undefined : execution
    },
    seconds,
  )
}

/** The worker's last response in an execution that succeeded. */
export function outputOf({ output }: DescribeExecutionCommandOutput): { status?: string; runId?: string } {
  return JSON.parse(output ?? '{}')
}

/** Name and ARN of the worker function that the state machine calls. */
export async function findWorker({ sfn, deployment }: CheckContext): Promise<{ name: string; arn: string }> {
  const { stateMachineArn } = deployment
  const { definition = '' } = await sfn.send(new DescribeStateMachineCommand({ stateMachineArn }))
  const arn: string = JSON.parse(definition).States.Step.Resource
  return { arn, name: arn.split(':')[6] ?? '' }
}

/** Kills every process of the worker, those of scheduled syncs included. */
export async function killWorkers(context: CheckContext): Promise<void> {
  const { name } = await findWorker(context)
  assert.ok((await killFunction(context.emulator.pid, name)) > 0, 'the emulator has no process of the worker')
}
