import { InvokeCommand, LambdaClient, TooManyRequestsException } from '@aws-sdk/client-lambda'
import { publisherLimits } from '../../runtime/client-limits.ts'
import type { Busy, CheckRequest, CheckResult, PublisherClient, PublishResult } from './publication.ts'

/** Invokes the publisher, and waits for what it returns. Throws if it fails. */
export function createPublisherClient(
  functionName: string,
  client: Pick<LambdaClient, 'send'> = new LambdaClient(publisherLimits),
): PublisherClient {
  async function invoke<Result>(event: object, signal?: AbortSignal): Promise<Result | Busy> {
    try {
      const { Payload, FunctionError } = await client.send(
        new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(event) }),
        { ...(signal && { abortSignal: signal }) },
      )
      const response = Buffer.from(Payload ?? []).toString()
      if (FunctionError !== undefined) throw new Error(`The publisher failed: ${response}`)
      return JSON.parse(response) as Result
    } catch (error) {
      if (error instanceof TooManyRequestsException) return { kind: 'busy' }
      throw error
    }
  }

  async function check<Found>(request: CheckRequest, maxMs: number): Promise<CheckResult<Found> | Busy> {
    const signal = AbortSignal.timeout(Math.max(1, maxMs))
    try {
      return await invoke<CheckResult<Found>>({ task: 'check', ...request }, signal)
    } catch (error) {
      if (signal.aborted) return { kind: 'checking', pages: 0 }
      throw error
    }
  }

  return {
    checkRange: check,
    checkRun: check,
    publish: (request) => invoke<PublishResult>({ task: 'publish', ...request }),
  }
}
