import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type {
  ResponseStore,
  StoredResponse,
} from '../../../../functions/proxy/idempotency/stored-response.ts'
import { withIdempotency } from '../../../../functions/proxy/idempotency/with-idempotency.ts'
import { OutcomeUnknown } from '../../../../functions/proxy/response/failures.ts'
import type { RelayedResponse } from '../../../../functions/proxy/response/relay.ts'
import { UpstreamFailure } from '../../../../functions/upstream/exchange.ts'

const start = Date.UTC(2031, 0, 2)
const request = { id: 'key', fingerprint: 'update' }
const result: RelayedResponse = {
  statusCode: 202,
  headers: { 'content-type': 'application/octet-stream' },
  body: Buffer.from([0, 255, 1, 254]),
}

/** A store in memory, and an update that counts how often it is performed. */
function keyed(
  perform: () => Promise<RelayedResponse> = async () => result,
  broken: Partial<ResponseStore> = {},
) {
  const items = new Map<string, StoredResponse>()
  const isOwner = (id: string, owner: string) => items.get(id)?.owner === owner
  const store: ResponseStore = {
    begin: async (id, first) => {
      const stored = items.get(id)
      if (!stored) items.set(id, first)
      return stored
    },
    replace: async (id, stored) => void (isOwner(id, stored.owner) && items.set(id, stored)),
    remove: async (id, owner) => void (isOwner(id, owner) && items.delete(id)),
    ...broken,
  }
  let performed = 0
  const send = (change: Partial<typeof request> = {}) =>
    withIdempotency(store, { ...request, ...change }, () => {
      performed++
      return perform()
    })
  return { send, items, performed: () => performed }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('an update with an idempotency key', () => {
  it('is performed once, and a repeat receives the first response, which is marked as replayed', async () => {
    const { send, performed } = keyed()
    expect(await send()).toEqual(result)
    expect(await send()).toEqual({
      ...result,
      headers: { ...result.headers, 'idempotency-replayed': 'true' },
    })
    expect(performed()).toBe(1)
  })

  it('has a response without a body if the first response had none', async () => {
    const { send } = keyed(async () => ({ statusCode: 204, headers: {} }) as RelayedResponse)
    await send()
    expect(await send()).toEqual({ statusCode: 204, headers: { 'idempotency-replayed': 'true' } })
  })

  it('is refused if the key was used for another update', async () => {
    const { send, performed } = keyed()
    await send()
    await expect(send({ fingerprint: 'another update' })).rejects.toMatchObject({
      problem: 'idempotency-key-reused',
      message: expect.stringContaining('sent with another body or query before. Choose a new key') as string,
    })
    expect(performed()).toBe(1)
  })

  it('is refused while the first request is running, and has an unknown outcome 35 seconds later', async () => {
    const { send } = keyed(() => new Promise(() => {}))
    void send()
    vi.setSystemTime(start + 34_999)
    await expect(send()).rejects.toMatchObject({
      problem: 'idempotency-key-running',
      message: expect.stringMatching(/still running.*Try again/) as string,
    })
    vi.setSystemTime(start + 35_000)
    await expect(send()).rejects.toBeInstanceOf(OutcomeUnknown)
  })

  it.each([
    ['the platform returns 503', async () => ({ ...result, statusCode: 503 })],
    ['the platform returns 408', async () => ({ ...result, statusCode: 408 })],
    ['the request times out', () => Promise.reject(new UpstreamFailure('timeout'))],
  ])('has an unknown outcome after %s', async (_, perform) => {
    const { send, performed } = keyed(perform)
    await send().catch(() => {})
    await expect(send()).rejects.toBeInstanceOf(OutcomeUnknown)
    expect(performed()).toBe(1)
  })

  it.each([
    ['the platform returns 429', async () => ({ ...result, statusCode: 429 })],
    ['nothing was sent', () => Promise.reject(new UpstreamFailure('unreachable'))],
  ])('frees its key if %s', async (_, perform) => {
    const { send, items, performed } = keyed(perform)
    await send().catch(() => {})
    expect(items.size).toBe(0)
    await send().catch(() => {})
    expect(performed()).toBe(2)
  })

  it('is not sent again if the first response is too large to store', async () => {
    const large = { ...result, body: randomBytes(350_000) }
    const { send } = keyed(async () => large)
    expect(await send()).toBe(large)
    await expect(send()).rejects.toMatchObject({
      problem: 'response-too-large',
      message: expect.stringMatching(/first request with status 202.*Do not send the update again/) as string,
    })
  })

  it('stores only responses that fit into an item of 400 KB with everything else', async () => {
    const lengths: number[] = []
    const others: unknown[] = []
    for (const bytes of [200_000, 250_000, 300_000, 350_000]) {
      const { send, items } = keyed(async () => ({ ...result, body: randomBytes(bytes) }))
      await send()
      const stored = items.get('key')
      if (stored?.kind === 'completed') lengths.push(stored.response.length)
      else others.push(stored)
    }
    expect(lengths).not.toEqual([])
    expect(Math.max(...lengths)).toBeLessThanOrEqual(350_000)
    const tooLarge = expect.objectContaining({ kind: 'completed-too-large', status: 202 }) as unknown
    expect(others).toEqual(others.map(() => tooLarge))
  })

  it.each([
    ['a response', async () => result],
    ['an error', () => Promise.reject(new UpstreamFailure('timeout'))],
  ])('ends with %s only after the outcome is stored', async (_, perform) => {
    const stored = Promise.withResolvers<void>()
    const { send } = keyed(perform, { replace: () => stored.promise })
    let ended = false
    const sent = send()
      .catch((error: unknown) => error)
      .finally(() => {
        ended = true
      })
    await nextTurn()
    expect(ended).toBe(false)
    stored.resolve()
    await sent
  })

  it('throws the error of the first request', async () => {
    const failure = new UpstreamFailure('timeout')
    await expect(keyed(() => Promise.reject(failure)).send()).rejects.toBe(failure)
  })

  it('receives its response even if it cannot be stored', async () => {
    const down = () => Promise.reject(new Error('down'))
    const { send } = keyed(undefined, { replace: down })
    const print = vi.spyOn(console, 'log').mockReturnValue()
    expect(await send()).toEqual(result)
    expect(JSON.parse(String(print.mock.lastCall?.[0]))).toMatchObject({
      level: 'ERROR',
      message: 'the response for an idempotency key cannot be stored',
      error: { message: 'down' },
    })
    await expect(send()).rejects.toMatchObject({ problem: 'idempotency-key-running' })
  })
})
