import { randomUUID } from 'node:crypto'
import type { ExecutionOutcome } from '../states/execution.ts'
import type { EmbeddedStateMachine } from '../states/state-machine.ts'
import { AwsError, type AwsInput, account, type Operations, region } from './aws-json-server.ts'

interface StoredExecution {
  readonly executionArn: string
  readonly stateMachineArn: string
  readonly name: string
  readonly input: string
  readonly startDate: number
  readonly stop: (stopped: Stopped) => void
  readonly sendTaskSuccess: (token: string) => boolean
  stopDate?: number
  ended?: ExecutionOutcome & Stopped
}

interface Stopped {
  readonly error?: string
  readonly cause?: string
}

/** Step Functions with one Standard state machine. */
export function createStepFunctions(stateMachine: EmbeddedStateMachine, name = 'LongshoreSync') {
  const stateMachineArn = `arn:aws:states:${region}:${account}:stateMachine:${name}`
  const executions = new Map<string, StoredExecution>()

  function find(executionArn: string): StoredExecution {
    const execution = executions.get(executionArn)
    if (!execution) throw new AwsError('ExecutionDoesNotExist', `Execution does not exist: ${executionArn}`)
    return execution
  }

  function start(input: string, name: string): StoredExecution {
    const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`
    const existing = executions.get(executionArn)
    // StartExecution is idempotent while the execution runs; afterwards its name is reserved for 90 days.
    if (existing && !existing.ended && existing.input === input) return existing
    if (existing) throw new AwsError('ExecutionAlreadyExists', `Execution already exists: ${executionArn}`)
    const running = stateMachine.start({ id: executionArn, name, input: JSON.parse(input) })
    const end = (outcome: ExecutionOutcome & Stopped) => {
      if (execution.ended) return
      execution.ended = outcome
      execution.stopDate = Date.now() / 1000
    }
    const execution: StoredExecution = {
      executionArn,
      stateMachineArn,
      name,
      input,
      startDate: Date.now() / 1000,
      sendTaskSuccess: running.sendTaskSuccess,
      stop: (stopped) => {
        end({ status: 'ABORTED', ...stopped })
        running.abort()
      },
    }
    executions.set(executionArn, execution)
    void running.outcome.then(end)
    return execution
  }

  return {
    stateMachineArn,
    /** Starts an execution, as a schedule does. */
    start: (input: object) => void start(JSON.stringify(input), randomUUID()),
    /** Stops every running execution. */
    close: () => {
      for (const execution of executions.values()) execution.stop({})
    },
    operations: {
      'AWSStepFunctions.StartExecution': (input: AwsInput) => {
        if (input.stateMachineArn !== stateMachineArn) {
          throw new AwsError('StateMachineDoesNotExist', `No state machine ${input.stateMachineArn}`)
        }
        const { executionArn, startDate } = start(input.input ?? '{}', input.name ?? randomUUID())
        return { executionArn, startDate }
      },
      'AWSStepFunctions.StopExecution': ({ executionArn, ...stopped }: AwsInput) => {
        const execution = find(executionArn)
        execution.stop(stopped)
        return { stopDate: execution.stopDate }
      },
      'AWSStepFunctions.SendTaskSuccess': ({ taskToken }: AwsInput) => {
        if ([...executions.values()].some(({ sendTaskSuccess }) => sendTaskSuccess(taskToken))) return {}
        throw new AwsError('TaskTimedOut', `No task waits for the token ${taskToken}`)
      },
      'AWSStepFunctions.DescribeExecution': ({ executionArn }: AwsInput) => {
        const { stop: _, sendTaskSuccess: _send, ended, ...execution } = find(executionArn)
        return { ...execution, ...(ended ?? { status: 'RUNNING' }) }
      },
    } satisfies Operations,
  }
}
