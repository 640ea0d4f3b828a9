import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import { absentIf } from '../runtime/absent-if.ts'
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
      const command = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) })
      return (await client.send(command).catch(absentIf(ExecutionAlreadyExists))) !== undefined
    },

    async stop(executionArn: string, cause: string): Promise<void> {
      const command = new StopExecutionCommand({ executionArn, error: 'SyncCancelled', cause })
      await client.send(command).catch(absentIf(ExecutionDoesNotExist))
    },
  }
}
