import { randomUUID } from 'node:crypto'
import { DescribeExecutionCommand, ExecutionDoesNotExist, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { awsClients } from './clients.aws.ts'

export interface StartedExecution {
  readonly id: string
  /** Epoch milliseconds, by AWS's clock. */
  readonly startedAt: number
}

export type ExecutionState =
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly status: string; readonly cause: string | undefined }

/** Executions of the state machine, by their ARN. */
export type ExecutionStarter = ReturnType<typeof createExecutionStarter>

export function createExecutionStarter(stateMachineArn: string, client = awsClients.stateMachine()) {
  return {
    async start(input: object): Promise<StartedExecution> {
      // The name makes a retry by the SDK find the execution that its first attempt started.
      const command = { stateMachineArn, name: randomUUID(), input: JSON.stringify(input) }
      const { executionArn = '', startDate } = await client.send(new StartExecutionCommand(command))
      return { id: executionArn, startedAt: startDate?.getTime() ?? 0 }
    },

    async read(executionArn: string): Promise<ExecutionState> {
      try {
        const { status = '', cause } = await client.send(new DescribeExecutionCommand({ executionArn }))
        return status === 'RUNNING' ? { kind: 'running' } : { kind: 'ended', status, cause }
      } catch (error) {
        if (!(error instanceof ExecutionDoesNotExist)) throw error
        return { kind: 'ended', status: 'deleted', cause: undefined }
      }
    },
  }
}
