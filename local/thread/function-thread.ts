import { parentPort, workerData } from 'node:worker_threads'
import { followShared } from '../clock/local-clock.ts'
import type { LambdaHandler } from '../lambda.ts'
import { sendConsoleTo } from './console-log.ts'
import type { ThreadData, ThreadRequest, ThreadResponse } from './killable-function.ts'

/** The thread of a killable function: loads the built handler and invokes it for each message. */
const { file, logFile, clock } = workerData as ThreadData
followShared(clock)
sendConsoleTo(logFile)
const { handler } = (await import(file)) as { handler: LambdaHandler }

parentPort?.on('message', (request: ThreadRequest) => {
  void respond(request).then((sent) => parentPort?.postMessage(sent))
})

async function respond({ id, event, requestId, endsAt }: ThreadRequest): Promise<ThreadResponse> {
  const context = {
    awsRequestId: requestId,
    functionName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, endsAt - Date.now()),
  }
  try {
    const value: unknown = await handler(event, context as Parameters<LambdaHandler>[1])
    return { id, kind: 'returned', value: JSON.parse(JSON.stringify(value ?? null)) }
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    return { id, kind: 'thrown', name, message }
  }
}
