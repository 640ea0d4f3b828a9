import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'

/** The state machine's executions, each of which drives one run and bears its id. */
export type ExecutionStore = ReturnType<typeof createExecutionStore>

export function createExecutionStore(stateMachineArn: string, client = new SFNClient({})) {
  return {
    /** ARN of the execution of this name, whether it has been started or not. */
    arnOf: async (name: string) => `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`,

    async start(name: string, input: Readonly<Record<string, unknown>>): Promise<void> {
      try {
        await client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }))
      } catch (error) {
        // The client repeats a call whose answer was lost; the name is ours alone.
        if (!(error instanceof ExecutionAlreadyExists)) throw error
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
