import { createServer } from 'node:http'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { environment, required } from '../../functions/runtime/environment.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import { serveLambda } from '../../local/embedded/lambda.ts'
import { listen } from '../../local/embedded/listen.ts'
import { invokeAtMost, type LambdaHandler } from '../../local/lambda.ts'
import { createPublisherClient } from '../../stored/publisher.aws.ts'
import { useStandInBundle } from './stand-in-bundle.ts'

const publisher = vi.fn<LambdaHandler>()
const served = await serveLambda({ publisher })
const clientOf = (endpoint: string) => new LambdaClient({ ...clientSettings, endpoint, maxAttempts: 1 })
const client = clientOf(served.endpoint)
beforeEach(() => void publisher.mockReset())
afterAll(async () => {
  client.destroy()
  await served.close()
})

const request = { entity: 'CL', runId: 'run-1' }

describe('Lambda', () => {
  const invoke = async (event?: object, FunctionName = 'publisher') => {
    const { FunctionError, Payload } = await client.send(
      new InvokeCommand({ FunctionName, ...(event && { Payload: JSON.stringify(event) }) }),
    )
    return { FunctionError, response: JSON.parse(String(Payload?.transformToString())) as unknown }
  }

  it('passes event and response as JSON', async () => {
    publisher.mockResolvedValue({ kind: 'checking', none: undefined, at: new Date(0) })
    expect(await invoke({ pages: 7, none: undefined })).toEqual({
      response: { kind: 'checking', at: '1970-01-01T00:00:00.000Z' },
    })
    await invoke()
    expect(publisher.mock.calls.map(([event]) => event as unknown)).toStrictEqual([{ pages: 7 }, {}])
  })

  it('returns null for a function that returns nothing', async () =>
    expect(await invoke({})).toEqual({ response: null }))

  it('returns the error of a function that fails', async () => {
    publisher.mockRejectedValue(new TypeError('away'))
    expect(await invoke({})).toEqual({
      FunctionError: 'Unhandled',
      response: { errorType: 'TypeError', errorMessage: 'away' },
    })
  })

  it('rejects the name of an unknown function', async () => {
    await expect(invoke({}, 'worker')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      $metadata: { httpStatusCode: 404 },
    })
  })

  it('invokes a function while its caller has the only place of the state machine', async () => {
    publisher.mockResolvedValue('checked')
    expect(await invokeAtMost(1)(() => invoke({}), {}, 10)).toEqual({ response: 'checked' })
  })
})

describe('the client of the publisher', () => {
  const check = (lambda = client, maxMs = 10_000) =>
    createPublisherClient('publisher', lambda).checkRun(request, maxMs)

  it('returns what the publisher returns', async () => {
    publisher.mockImplementation(async (event) => event as unknown)
    expect(await check()).toEqual({ task: 'check', ...request })
    expect(await createPublisherClient('publisher', client).publish(request)).toEqual({
      task: 'publish',
      ...request,
    })
  })

  it('throws if the publisher fails', async () => {
    publisher.mockRejectedValue(new Error('S3 is away.'))
    await expect(check()).rejects.toThrow(/^The publisher failed: .*S3 is away\./)
  })

  it('reports that Lambda throttles the publisher', async () => {
    const throttling = await listen(
      createServer((_, response) => {
        response.writeHead(429, { 'X-Amzn-ErrorType': 'TooManyRequestsException' }).end('{}')
      }),
    )
    onTestFinished(() => throttling.close())
    expect(await check(clientOf(throttling.endpoint))).toEqual({ kind: 'busy' })
  })

  it('no longer waits after its time limit, and the check continues', async () => {
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>()
    publisher.mockImplementation(() => isRead)
    expect(await check(client, 100)).toEqual({ kind: 'checking', pages: 0 })
    read()
    await expect(publisher.mock.results[0]?.value).resolves.toBeUndefined()
  })

  it('no longer waits for a set after its time limit, and pauses before it asks again', async () => {
    const { publishSet } = createPublisherClient('publisher', client, { maxMs: 50, pauseMs: 100 })
    publisher.mockImplementationOnce(() => new Promise(() => undefined))
    const startedAt = performance.now()
    expect(await publishSet(request)).toEqual({ kind: 'checking' })
    expect(performance.now() - startedAt).toBeGreaterThan(140)
    publisher.mockImplementation(async (event) => event as unknown)
    expect(await publishSet(request)).toEqual({ task: 'publish-set', ...request })
  })

  it('throws if Lambda throttles or fails the publication of a set', async () => {
    publisher.mockRejectedValue(new Error('S3 is away.'))
    const { publishSet, note } = createPublisherClient('publisher', client)
    await expect(publishSet(request)).rejects.toThrow('S3 is away.')
    const asked = { entity: 'CL', tip: 'run-1', note: { kind: 'announced' } } as const
    await expect(note(asked)).rejects.toThrow('S3 is away.')
  })

  it('throws if Lambda is unreachable', () =>
    expect(check(clientOf('http://127.0.0.1:1'))).rejects.toThrow('ECONNREFUSED'))
})

describe('npm start', () => {
  useStandInBundle()

  it('serves the publisher to its functions', async () => {
    const own = createPublisherClient(required(environment.publisher))
    expect(await own.checkRun(request, 10_000)).toEqual({
      kind: 'damaged',
      reason: 'The run run-1 of CL has no item. Start the sync again.',
    })
  })
})
