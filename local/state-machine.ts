import { setTimeout as wait } from 'node:timers/promises'
import {
  ExecutionAbortedError,
  ExecutionTimeoutError,
  StateMachine,
  type StateMachineDefinition,
} from 'aws-local-stepfunctions'
import { syncLoop } from '../lib/sync-loop.ts'
import { invoke, type LambdaHandler } from './lambda.ts'

export interface StateMachineRunner {
  run(execution: { readonly id: string; readonly name: string; readonly input: unknown }): {
    abort(): void
    /** Never rejects. */
    readonly outcome: Promise<Outcome>
  }
}

export interface Outcome {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED'
  readonly output?: string
  readonly error?: string
  readonly cause?: string
}

export interface RunnerOptions {
  /** Called in this process for every Task state. */
  readonly worker: LambdaHandler
  /** Instead of what the definition says, for tests that cannot wait. */
  readonly retryAfterMs?: number
  /** The definition that is deployed, if not given. */
  readonly definition?: object
}

const workerArn = 'arn:aws:lambda:us-east-1:000000000000:function:LongshoreSync'
const workerTimeoutSeconds = 900

/** Runs the state machine's definition, with the worker in this process. */
export function createStateMachine({
  worker,
  retryAfterMs,
  definition = syncLoop,
}: RunnerOptions): StateMachineRunner {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a definition substitution of CloudFormation's
  const text = JSON.stringify(definition).replaceAll('${WorkerArn}', workerArn)
  const substituted = JSON.parse(text) as StateMachineDefinition
  const machine = new StateMachine(substituted)
  const tasks = Object.entries(substituted.States).flatMap(([name, { Type }]) =>
    Type === 'Task' ? [name] : [],
  )
  const byTask = <T>(value: T) => Object.fromEntries(tasks.map((name) => [name, value]))

  return {
    run({ id, name, input }) {
      const { result, abort } = machine.run(input as never, {
        context: { Execution: { Id: id, Name: name }, StateMachine: { Name: 'LongshoreSync' } },
        overrides: {
          taskResourceLocalHandlers: byTask((payload: unknown) => callWorker(worker, payload)),
          ...(retryAfterMs !== undefined && { retryIntervalOverrides: byTask(retryAfterMs) }),
        },
      })
      return { abort, outcome: outcomeOf(result) }
    },
  }
}

/** As the Lambda integration does it: JSON in and out, a thrown error by its name with a JSON cause. */
async function callWorker(worker: LambdaHandler, payload: unknown): Promise<never> {
  // A step that answers at once must not keep timers and sockets from their turn.
  await wait(0)
  try {
    return (await invoke(worker, payload, workerTimeoutSeconds)) as never
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    const trace = stack?.split('\n') ?? []
    throw Object.assign(new Error(JSON.stringify({ errorType: name, errorMessage: message, trace })), {
      name,
    })
  }
}

async function outcomeOf(result: Promise<unknown>): Promise<Outcome> {
  try {
    return { status: 'SUCCEEDED', output: JSON.stringify(await result) }
  } catch (error) {
    if (error instanceof ExecutionAbortedError) return { status: 'ABORTED' }
    if (error instanceof ExecutionTimeoutError) return { status: 'TIMED_OUT', error: 'States.Timeout' }
    const { name, message } = (error as { cause?: Error }).cause ?? (error as Error)
    return { status: 'FAILED', error: name, cause: message }
  }
}
