import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import { clientLimits } from '../runtime/client-limits.ts'

/** Executions of the state machine. Each drives one run and has its id as name. */
export type ExecutionStore = ReturnType<typeof createExecutionStore>

export function createExecutionStore(
  stateMachineArn: string,
  client = new SFNClient(clientLimits.stateMachine),
) {
  return {
    /** ARN of the execution with this name, whether it has been started or not. */
    arnOf: async (name: string) => `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`,

    /** A start that is repeated has no effect. False if the execution has ended, or has another input. */
    async start(name: string, input: Readonly<Record<string, unknown>>): Promise<boolean> {
      try {
        await client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }))
        return true
      } catch (error) {
        if (error instanceof ExecutionAlreadyExists) return false
        throw error
      }
    },

    async stop(executionArn: string, cause: string): Promise<void> {
      try {
        await client.send(new StopExecutionCommand({ executionArn, error: 'SyncCancelled', cause }))
      } catch (error) {
        if (!(error instanceof ExecutionDoesNotExist)) throw error
      }
    },
  }
}
