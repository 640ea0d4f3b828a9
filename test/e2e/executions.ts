import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  DescribeStateMachineCommand,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'
import { eventually } from './check.ts'
import type { World } from './world.ts'

/** Starts the state machine as a person would. Returns the execution's ARN. */
export async function startExecution({ sfn, deployment }: World, input: object): Promise<string> {
  const { stateMachineArn } = deployment
  const started = await sfn.send(new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) }))
  return started.executionArn ?? ''
}

/** Waits until an execution is over. */
export function executionEnd({ sfn }: World, executionArn: string, seconds = 120) {
  return eventually<DescribeExecutionCommandOutput>(
    'the execution is over',
    async () => {
      const execution = await sfn.send(new DescribeExecutionCommand({ executionArn }))
      return execution.status === 'RUNNING' ? undefined : execution
    },
    seconds,
  )
}

/** The worker's last answer in an execution that succeeded. */
export function outputOf({ output }: DescribeExecutionCommandOutput): { status?: string; runId?: string } {
  return JSON.parse(output ?? '{}')
}

/** Name and ARN of the worker, as the state machine calls it. */
export async function findWorker({ sfn, deployment }: World): Promise<{ name: string; arn: string }> {
  const { stateMachineArn } = deployment
  const { definition = '' } = await sfn.send(new DescribeStateMachineCommand({ stateMachineArn }))
  const arn: string = JSON.parse(definition).States.Step.Resource
  return { arn, name: arn.split(':')[6] ?? '' }
}
