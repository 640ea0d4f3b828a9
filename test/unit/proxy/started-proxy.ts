import { afterEach, beforeEach, vi } from 'vitest'
import { parameterNames } from '../../../functions/http/path-template.ts'
import { endpoints } from '../../../functions/platform/endpoints.ts'
import { createProxy, type ProxyEvent } from '../../../functions/proxy/proxy.ts'
import type { UpstreamRequest } from '../../../functions/upstream/client.ts'
import type { UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import { endpoint } from './request/refusal.ts'

const settings = {
  baseUrl: 'https://platform.example',
  headerPrefix: 'X-SVC',
  searchPath: '/v2/{data_entity}/find/{data_entity}',
  timeoutSeconds: 25,
}

export const responded = (
  status: number,
  body = '{}',
  headers: Record<string, string> = {},
): UpstreamResponse => ({
  status,
  headers,
  body: Buffer.from(body),
})

export function eventFor(name: string, more: Partial<ProxyEvent> = {}): ProxyEvent {
  const { method, path, body } = endpoint(name)
  return {
    routeKey: `${method} ${path}`,
    pathParameters: Object.fromEntries(parameterNames(path).map((parameter) => [parameter, 'a b'])),
    rawPath: '/',
    rawQueryString: '',
    headers: body === 'none' ? {} : { 'content-type': 'application/json' },
    isBase64Encoded: false,
    requestContext: { requestId: 'request-1' },
    ...(body !== 'none' && { body: '{}' }),
    ...more,
  }
}

export const exchangeMs = 7

/** A proxy in front of a platform that returns one outcome after the other, and repeats the last one. */
export function start(
  outcomes: readonly (UpstreamResponse | Error)[],
  change: Partial<Parameters<typeof createProxy>[0]> = {},
) {
  const requests: UpstreamRequest[] = []
  const proxy = createProxy({
    settings,
    validation: 'strict',
    endpoints,
    upstream: {
      async send(request) {
        const outcome = outcomes[Math.min(requests.length, outcomes.length - 1)]
        requests.push(request)
        request.usage?.exchangesMs.push(exchangeMs)
        request.usage?.faults.push(0)
        if (outcome === undefined || outcome instanceof Error)
          throw outcome ?? new Error('no response is left')
        return outcome
      },
      redact: (text) => text.replaceAll('the-app-token', '[redacted]'),
    },
    withIdempotency: (_, perform) => perform(),
    ...change,
  })
  const send = (event: ProxyEvent, functionLeftMs = 29_000) =>
    proxy(event, { getRemainingTimeInMillis: () => functionLeftMs })
  return { requests, send }
}

export async function call(
  event: ProxyEvent,
  outcomes: readonly (UpstreamResponse | Error)[],
  functionLeftMs?: number,
) {
  const waits: number[] = []
  const { requests, send } = start(outcomes, { wait: async (ms) => waits.push(ms) })
  const result = await send(event, functionLeftMs)
  return { requests, waits, result, problem: JSON.parse(result.body ?? 'null') }
}

/** The log of a test, as the hooks of `captureLog` fill it. */
export const lines: string[] = []

export function captureLog(): void {
  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    lines.length = 0
  })
}
