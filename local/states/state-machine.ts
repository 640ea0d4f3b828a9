import { setTimeout as wait } from 'node:timers/promises'
import { syncStateMachine } from '../../lib/sync/state-machine.ts'
import type { invoke, LambdaHandler } from '../lambda.ts'
import { readDefinition } from './definition.ts'
import { startExecution } from './execution.ts'

export type EmbeddedStateMachine = ReturnType<typeof createStateMachine>

interface StateMachineOptions {
  /** The functions by what the definition names as `Resource`, for example `${WorkerArn}`. */
  readonly functions: Readonly<Record<string, LambdaHandler>>
  readonly invoke: typeof invoke
  readonly sleep?: (ms: number, interrupted?: Promise<void>) => Promise<unknown>
}

const timeoutSeconds = 900

/** The deployed definition, with its functions in this process. */
export function createStateMachine(options: StateMachineOptions) {
  const { functions, invoke, sleep = waitUnlessInterrupted } = options
  const definition = readDefinition(syncStateMachine)
  const active = new Set<string>()
  const resting = new Set<() => void>()
  const leave = (id: string) => {
    active.delete(id)
    if (active.size > 0) return
    for (const resolve of resting) resolve()
    resting.clear()
  }
  return {
    /** Resolves when every execution has ended or waits. */
    async rest() {
      if (active.size > 0) await new Promise<void>((resolve) => void resting.add(resolve))
    },
    start({ id, name, input }: { readonly id: string; readonly name: string; readonly input: unknown }) {
      const execution = { Id: id, Name: name, StartTime: new Date().toISOString(), Input: input }
      let hasEnded = false
      active.add(id)
      const running = startExecution(
        definition,
        { Execution: execution },
        {
          invoke: (resource, payload) => callFunction(invoke, functions[resource], payload),
          sleep: async (ms, interrupted) => {
            leave(id)
            await sleep(ms, interrupted)
            if (!hasEnded) active.add(id)
          },
          random: Math.random,
        },
      )
      void running.outcome.then(() => {
        hasEnded = true
        leave(id)
      })
      return running
    },
  }
}

async function waitUnlessInterrupted(ms: number, interrupted?: Promise<void>): Promise<void> {
  const over = new AbortController()
  void interrupted?.then(() => over.abort())
  await wait(ms, undefined, { signal: over.signal }).catch((error: unknown) => {
    if (!over.signal.aborted) throw error
  })
}

/** As the Lambda integration does it: a thrown error arrives under its own name with a JSON cause. */
async function callFunction(
  invoked: typeof invoke,
  handler: LambdaHandler | undefined,
  payload: unknown,
): Promise<unknown> {
  if (!handler) throw new Error('The definition names a function that is not served here.')
  // A function that responds at once must not starve timers and sockets.
  await wait(0)
  try {
    return await invoked(handler, payload, timeoutSeconds)
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    const trace = stack?.split('\n') ?? []
    throw Object.assign(new Error(JSON.stringify({ errorType: name, errorMessage: message, trace })), {
      name,
    })
  }
}
