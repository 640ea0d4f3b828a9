import { randomUUID } from 'node:crypto'
import type { Outcome, StateMachineRunner } from '../state-machine.ts'
import { AwsError, account, type Operations, region } from './aws-json-server.ts'

export interface StepFunctions {
  readonly stateMachineArn: string
  readonly operations: Operations
  /** Stops every execution that still runs. */
  close(): void
}

interface Execution {
  readonly executionArn: string
  readonly stateMachineArn: string
  readonly name: string
  readonly input: string
  readonly startDate: number
  readonly stop: (stopped: Stopped) => void
  stopDate?: number
  ended?: Outcome
}

interface Stopped {
  readonly error?: string
  readonly cause?: string
}

/** Step Functions with one Standard state machine. */
export function createStepFunctions(runner: StateMachineRunner, name = 'LongshoreSync'): StepFunctions {
  const stateMachineArn = `arn:aws:states:${region}:${account}:stateMachine:${name}`
  const executions = new Map<string, Execution>()

  function find(executionArn: string): Execution {
    const execution = executions.get(executionArn)
    if (!execution) throw new AwsError('ExecutionDoesNotExist', `Execution does not exist: ${executionArn}`)
    return execution
  }

  function start(input: string, name: string): Execution {
    const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`
    const existing = executions.get(executionArn)
    // AWS: the same start again is no error while it runs; after that the name is taken for 90 days.
    if (existing && !existing.ended && existing.input === input) return existing
    if (existing) throw new AwsError('ExecutionAlreadyExists', `Execution already exists: ${executionArn}`)
    const run = runner.run({ id: executionArn, name, input: JSON.parse(input) })
    const end = (outcome: Outcome) => {
      if (execution.ended) return
      execution.ended = outcome
      execution.stopDate = Date.now() / 1000
    }
    const execution: Execution = {
      executionArn,
      stateMachineArn,
      name,
      input,
      startDate: Date.now() / 1000,
      stop: (stopped) => {
        end({ status: 'ABORTED', ...stopped })
        run.abort()
      },
    }
    executions.set(executionArn, execution)
    // A run's outcome never rejects.
    void run.outcome.then(end)
    return execution
  }

  return {
    stateMachineArn,
    close: () => {
      for (const execution of executions.values()) execution.stop({})
    },
    operations: {
      'AWSStepFunctions.StartExecution': (input: {
        stateMachineArn: string
        name?: string
        input?: string
      }) => {
        if (input.stateMachineArn !== stateMachineArn) {
          throw new AwsError('StateMachineDoesNotExist', `No state machine ${input.stateMachineArn}`)
        }
        const { executionArn, startDate } = start(input.input ?? '{}', input.name ?? randomUUID())
        return { executionArn, startDate }
      },
      'AWSStepFunctions.StopExecution': ({
        executionArn,
        ...stopped
      }: Stopped & { executionArn: string }) => {
        const execution = find(executionArn)
        execution.stop(stopped)
        return { stopDate: execution.stopDate }
      },
      'AWSStepFunctions.DescribeExecution': (input: { executionArn: string }) => {
        const { stop: _, ended = { status: 'RUNNING' }, ...execution } = find(input.executionArn)
        return { ...execution, ...ended }
      },
    },
  }
}
