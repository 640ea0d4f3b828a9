import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'

// biome-ignore lint/suspicious/noExplicitAny: each function knows its own event
export type LambdaHandler = (event: any, context: Context) => Promise<unknown>

/** Invokes a function as Lambda does: event and response pass as JSON, and it times out. */
export async function invoke(
  handler: LambdaHandler,
  event: unknown,
  timeoutSeconds: number,
): Promise<unknown> {
  const requestId = randomUUID()
  const endsAt = Date.now() + timeoutSeconds * 1000
  const context = {
    awsRequestId: requestId,
    functionName: 'local',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:local',
    memoryLimitInMB: '1024',
    logGroupName: '/local',
    logStreamName: requestId,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, endsAt - Date.now()),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  } satisfies Context
  const { promise: timeUp, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TimeoutError(requestId, timeoutSeconds)), timeoutSeconds * 1000)
  try {
    const response = await Promise.race([handler(throughJson(event), context), timeUp])
    return throughJson(response ?? null)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Invokes this many functions at once, as an account does. AWS throttles the others, and its services repeat them; here
 * they wait. All of them share a thread, in which hundreds would let each other's calls time out.
 */
export function invokeAtMost(maxConcurrent: number): typeof invoke {
  const waiting: (() => void)[] = []
  let running = 0
  return async (...call) => {
    if (running < maxConcurrent) running++
    else await new Promise<void>((resolve) => void waiting.push(resolve))
    try {
      return await invoke(...call)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

/** Lambda's own error name, which retriers match. */
class TimeoutError extends Error {
  override name = 'Sandbox.Timedout'
  constructor(requestId: string, seconds: number) {
    super(`RequestId: ${requestId} Error: Task timed out after ${seconds.toFixed(2)} seconds`)
  }
}

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown
}

function unsupported(): never {
  throw new Error('Callbacks are not supported on Node 24: return a promise.')
}
