import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { LambdaHandler } from '../lambda.ts'

export interface ThreadData {
  readonly file: string
  readonly logFile: string
  /** See LocalClock. */
  readonly clock: Float64Array
}

export interface ThreadRequest {
  readonly id: number
  readonly event: unknown
  readonly requestId: string
  /** Epoch milliseconds. */
  readonly endsAt: number
}

export type ThreadResponse = { readonly id: number } & (
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'thrown'; readonly name: string; readonly message: string }
)

interface Thread {
  readonly worker: Worker
  readonly invocations: Map<number, PromiseWithResolvers<unknown>>
}

/** Next to this file. In the package, both are compiled. */
const threadFile = new URL(`function-thread${extname(import.meta.url)}`, import.meta.url)

/** Runs a built function in a thread, which can be killed like a sandbox, and starts with the first invocation. */
export function createKillableFunction(data: ThreadData) {
  let thread: Thread | undefined
  let count = 0

  const handler: LambdaHandler = async (event, context) => {
    thread ??= startThread(data)
    const { worker, invocations } = thread
    const invocation = Promise.withResolvers<unknown>()
    count += 1
    invocations.set(count, invocation)
    const endsAt = Date.now() + context.getRemainingTimeInMillis()
    worker.postMessage({ id: count, event, requestId: context.awsRequestId, endsAt } satisfies ThreadRequest)
    return invocation.promise
  }

  return {
    handler,
    /** Ends the running invocations with an error. The next one starts a new thread. */
    async kill() {
      const killed = thread
      thread = undefined
      await killed?.worker.terminate()
    },
  }
}

function startThread(workerData: ThreadData): Thread {
  const worker = new Worker(threadFile, { workerData })
  const invocations: Thread['invocations'] = new Map()
  worker.on('message', (response: ThreadResponse) => {
    const invocation = invocations.get(response.id)
    invocations.delete(response.id)
    if (response.kind === 'returned') invocation?.resolve(response.value)
    else invocation?.reject(Object.assign(new Error(response.message), { name: response.name }))
  })
  worker.on('exit', () => {
    for (const invocation of invocations.values()) invocation.reject(new KilledError())
  })
  // An idle thread must not keep the process alive.
  worker.unref()
  return { worker, invocations }
}

/** Lambda's own error name for a process that was killed. */
class KilledError extends Error {
  override name = 'Runtime.ExitError'
  constructor() {
    super('RequestId: local Error: Runtime exited with error: signal: killed')
  }
}
