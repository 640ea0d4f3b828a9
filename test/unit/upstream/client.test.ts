import { describe, expect, it } from 'vitest'
import { withUsage } from '../../../functions/upstream/client.ts'
import { CredentialsError } from '../../../functions/upstream/exchange.ts'
import { newUsage } from '../../../functions/upstream/usage.ts'
import { rawResponse, type Serve } from './raw-server.ts'
import { passTime, request, responding, stopTime, upstreamTests, version } from './started-upstream.ts'

const { connections, heads, prepare } = upstreamTests()

describe('every request', () => {
  it('carries the credentials of its area under the configured prefix, and our User-Agent', async () => {
    const { upstream, reads } = await prepare(responding(), { headerPrefix: 'X-VTEX' })
    await upstream.send(request({ area: 'logistics' }))
    expect(reads).toEqual(['get logistics'])
    const head = heads()[0]
    expect(head).toContain('\r\nAccept: application/json\r\n')
    expect(head).toContain('\r\nX-VTEX-API-AppKey: key-v1\r\nX-VTEX-API-AppToken: token-v1\r\n')
    expect(head).toMatch(/\r\nUser-Agent: Longshore\/\d[^\r]*\r\n/)
    expect(head).not.toMatch(/X-SVC/i)
  })

  it('tells caches not to store the response', async () => {
    const { upstream } = await prepare(responding())
    await upstream.send(request())
    expect(heads()[0]).toContain('\r\nCache-Control: no-store\r\n')
  })

  it('gets the credentials from the cache each time', async () => {
    const { upstream, reads } = await prepare(responding())
    await upstream.send(request())
    await upstream.send(request())
    expect(reads).toEqual(['get documents', 'get documents'])
    expect(connections()).toBe(1)
  })

  it('is not sent without credentials', async () => {
    const notSet = new CredentialsError('not-set', 'not set')
    const { upstream } = await prepare(responding(), { credentials: { get: () => Promise.reject(notSet) } })
    await expect(upstream.send(request())).rejects.toBe(notSet)
    expect(heads()).toEqual([])
  })
})

it('the credentials that were sent are redacted from texts from then on', async () => {
  const { upstream } = await prepare(responding())
  expect(upstream.redact('key-v1 token-v1')).toBe('key-v1 token-v1')
  await upstream.send(request())
  expect(upstream.redact('key-v1 token-v1')).toBe('[redacted] [redacted]')
})

describe('the usage of a request', () => {
  const send = async (serve: Serve, change: Parameters<typeof prepare>[1] = {}) => {
    const { upstream } = await prepare(serve, change)
    const usage = newUsage()
    const response = await withUsage(upstream, usage)
      .send(request())
      .catch(() => undefined)
    return { usage, response }
  }

  it('counts a response with its time', async () => {
    const { usage } = await send(responding())
    expect(usage).toMatchObject({ faults: [0], credentialsRejected: 0 })
    expect(usage.exchangesMs[0]).toBeLessThan(5_000)
  })

  it('includes the time in which the credentials were read', async () => {
    stopTime()
    const get = async () => {
      await Promise.resolve()
      passTime(20)
      return version('v1')
    }
    const { usage } = await send(responding(), { credentials: { get } })
    expect(usage.secretMs).toBe(20)
  })

  it.each([
    ['a page of a firewall', '<html><title>Stop</title></html>', '403 Forbidden'],
    ['a limit', '{"message":"slow down"}', '403 Forbidden\r\nRetry-After: 2'],
  ])(
    'counts %s as a response, not as rejected credentials, after it has read the secret',
    async (_, ...sent) => {
      const { upstream, reads } = await prepare((socket) => socket.write(rawResponse(...sent)))
      const usage = newUsage()
      expect(await withUsage(upstream, usage).send(request())).toMatchObject({ status: 403 })
      expect(reads).toEqual(['get documents', 'renew documents v1'])
      expect(usage.credentialsRejected).toBe(0)
    },
  )

  it('counts a request that both credentials were rejected for', async () => {
    const { usage } = await send(responding('401 No', '403 No'), { newer: version('v2') })
    expect(usage).toMatchObject({ faults: [0, 0], credentialsRejected: 1 })
  })

  it('counts a request without a response as a fault', async () => {
    const { usage } = await send((socket) => socket.destroy())
    expect(usage).toMatchObject({ faults: [1] })
  })

  it.each(['not-set', 'malformed', 'unreadable'] as const)('counts credentials that are %s', async (kind) => {
    const get = () => Promise.reject(new CredentialsError(kind, 'no'))
    expect((await send(responding(), { credentials: { get } })).usage.credentialsRejected).toBe(1)
  })
})
