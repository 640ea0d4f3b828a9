import { randomUUID } from 'node:crypto'
import { DescribeExecutionCommand, ExecutionDoesNotExist, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { absentIf } from '../../functions/runtime/absent-if.ts'
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
      const command = new DescribeExecutionCommand({ executionArn })
      const found = await client.send(command).catch(absentIf(ExecutionDoesNotExist))
      const { status = '', cause } = found ?? { status: 'deleted' }
      return status === 'RUNNING' ? { kind: 'running' } : { kind: 'ended', status, cause }
    },
  }
}
