import { setTimeout as sleep } from 'node:timers/promises'
import { InvokeCommand, LambdaClient, TooManyRequestsException } from '@aws-sdk/client-lambda'
import { publisherLimits } from '../functions/runtime/client-limits.ts'
import type { SetPublisher, SetRequest, SetResult } from './changes/publication.ts'
import type { Busy, CheckRequest, CheckResult, SnapshotPublisher } from './snapshots/publication.ts'

/** How long the caller of a set waits, and how long before it asks again whether the set is published. */
const setTimes = { maxMs: 240_000, pauseMs: 5_000 }

/** Invokes the publisher, and waits for what it returns. Throws if it fails. */
export function createPublisherClient(
  functionName: string,
  client: Pick<LambdaClient, 'send'> = new LambdaClient(publisherLimits),
  { maxMs, pauseMs } = setTimes,
): SnapshotPublisher & SetPublisher {
  async function invoke<Result>(event: object, signal?: AbortSignal): Promise<Result> {
    const { Payload, FunctionError } = await client.send(
      new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(event) }),
      { ...(signal && { abortSignal: signal }) },
    )
    const response = Buffer.from(Payload ?? []).toString()
    if (FunctionError !== undefined) throw new Error(`The publisher failed: ${response}`)
    return JSON.parse(response) as Result
  }

  async function check<Found>(request: CheckRequest, waitMs: number): Promise<CheckResult<Found> | Busy> {
    const signal = AbortSignal.timeout(Math.max(1, waitMs))
    try {
      return await unlessBusy(invoke<CheckResult<Found>>({ task: 'check', ...request }, signal))
    } catch (error) {
      if (signal.aborted) return { kind: 'checking', pages: 0 }
      throw error
    }
  }

  /** The publisher continues without its caller, which asks again. */
  async function publishSet(request: SetRequest): Promise<SetResult> {
    const signal = AbortSignal.timeout(maxMs)
    const event = { task: 'publish-set', ...request }
    const result = await invoke<SetResult>(event, signal).catch((error: unknown) => {
      if (signal.aborted) return { kind: 'checking' } as const
      throw error
    })
    if (result.kind === 'checking') await sleep(pauseMs)
    return result
  }

  return {
    checkRange: check,
    checkRun: check,
    publish: (request) => unlessBusy(invoke({ task: 'publish', ...request })),
    publishSet,
    note: (request) => invoke({ task: 'note', ...request }),
  }
}

/** A run waits if Lambda throttles the publisher. */
const unlessBusy = <Result>(invoked: Promise<Result>): Promise<Result | Busy> =>
  invoked.catch((error: unknown) => {
    if (error instanceof TooManyRequestsException) return { kind: 'busy' }
    throw error
  })
