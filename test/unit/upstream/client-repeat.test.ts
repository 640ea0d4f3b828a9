import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CredentialsError, UpstreamFailure } from '../../../functions/upstream/exchange.ts'
import { rawResponse } from './raw-server.ts'
import { passTime, request, responding, stopTime, upstreamTests, version } from './started-upstream.ts'

const { heads, prepare } = upstreamTests()

const keysSent = () => heads().map((head) => /-API-AppKey: (\S+)/.exec(head)?.[1])

describe('newer credentials that cannot be read', () => {
  it.each(['malformed', 'unreadable'] as const)('leave the rejection as the response: %s', async (kind) => {
    const print = vi.spyOn(console, 'log').mockReturnValue()
    const renew = () => Promise.reject(new CredentialsError(kind, 'Cannot be read.'))
    const { upstream } = await prepare(responding('401 No'), { credentials: { renew } })
    expect(await upstream.send(request())).toMatchObject({ status: 401 })
    expect(JSON.parse(String(print.mock.lastCall?.[0]))).toMatchObject({
      level: 'WARN',
      message: 'newer credentials cannot be read',
      area: 'documents',
      error: { message: 'Cannot be read.' },
    })
    for (const [line] of print.mock.calls) expect(line).not.toMatch(/(?:key|token)-v1/)
  })

  it.each([new CredentialsError('not-set', 'not set'), new TypeError('unexpected')])(
    'are thrown if they are not set or the error is unexpected: %s',
    async (error) => {
      const { upstream } = await prepare(responding('401 No'), {
        credentials: { renew: () => Promise.reject(error) },
      })
      await expect(upstream.send(request())).rejects.toBe(error)
    },
  )
})

it('sends and repeats a request that has 250 ms left, and none with less', async () => {
  stopTime()
  const { upstream } = await prepare(responding('401 No'), { newer: version('v2') })
  await upstream.send(request({ totalMs: 250 }))
  expect(heads()).toHaveLength(2)
  await expect(upstream.send(request({ totalMs: 249 }))).rejects.toMatchObject({ kind: 'not-sent' })
})

describe.each(['401 Unauthorized', '403 Forbidden'])('after %s', (rejected) => {
  const status = Number(rejected.slice(0, 3))

  it('the same request is repeated once with newer credentials', async () => {
    const { upstream, reads } = await prepare(responding(rejected), { newer: version('v2') })
    const response = await upstream.send(
      request({ method: 'PATCH', target: '/y?an=1', body: Buffer.from('{"a":1}') }),
    )
    expect(response).toMatchObject({ status: 200, body: Buffer.from('response 2') })
    expect(reads).toEqual(['get documents', 'renew documents v1'])
    const [first, second] = heads()
    expect(second).toBe(first?.replace('key-v1', 'key-v2').replace('token-v1', 'token-v2'))
    expect(second).toMatch(/^PATCH \/y\?an=1 [\s\S]*\r\n\r\n\{"a":1\}$/)
    expect(second).toContain('\r\nAccept: application/json\r\n')
    expect(second).toContain('\r\nContent-Length: 7\r\n')
  })

  it('the response is returned if there are no newer credentials', async () => {
    const { upstream } = await prepare(responding(rejected))
    expect(await upstream.send(request())).toMatchObject({ status, body: Buffer.from('response 1') })
    expect(heads()).toHaveLength(1)
  })

  it('nothing is sent again once the caller must stop sending', async () => {
    const { upstream } = await prepare(responding(rejected), { newer: version('v2') })
    const cancelled = new Error('The run has ended.')
    let sent = 0
    const beforeSend = async () => {
      if (++sent === 2) throw cancelled
    }
    await expect(upstream.send(request({ beforeSend }))).rejects.toBe(cancelled)
    expect(heads()).toHaveLength(1)
  })

  it('the second response is returned, whatever it is', async () => {
    const { upstream, reads } = await prepare(responding(rejected, rejected), { newer: version('v2') })
    expect(await upstream.send(request())).toMatchObject({ status, body: Buffer.from('response 2') })
    expect(reads).toHaveLength(2)
    expect(keysSent()).toEqual(['key-v1', 'key-v2'])
  })
})

it.each([
  '200 OK',
  '204 No Content',
  '302 Found',
  '400 Bad',
  '404 Not Found',
  '407 Proxy',
  '429 Slow',
  '500 Oops',
  '503 Busy',
])('after %s the credentials are not read again and nothing is repeated', async (status) => {
  const { upstream, reads } = await prepare(
    (socket) => socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`),
    { newer: version('v2') },
  )
  expect((await upstream.send(request())).status).toBe(Number(status.slice(0, 3)))
  expect(reads).toEqual(['get documents'])
  expect(heads()).toHaveLength(1)
})

it('a request that failed is not repeated', async () => {
  const { upstream } = await prepare((socket) => socket.resetAndDestroy(), { newer: version('v2') })
  await expect(upstream.send(request())).rejects.toThrow(UpstreamFailure)
  expect(heads()).toHaveLength(1)
})

describe('the time of a request', () => {
  beforeEach(stopTime)

  it('covers the rejected request and its repeat together', async () => {
    const { upstream } = await prepare(
      (socket, number) => {
        passTime(number === 1 ? 600 : 400)
        if (number === 1) socket.write(rawResponse('', '401 No'))
      },
      { newer: version('v2') },
    )
    await expect(upstream.send(request({ totalMs: 1_000 }))).rejects.toMatchObject({ kind: 'timeout' })
    expect(heads()).toHaveLength(2)
  })

  it('is over: the repeat is not sent and the rejection is returned', async () => {
    const { upstream } = await prepare(responding('401 No'), {
      credentials: {
        renew: async () => {
          passTime(151)
          return version('v2')
        },
      },
    })
    expect((await upstream.send(request({ totalMs: 400 }))).status).toBe(401)
    expect(heads()).toHaveLength(1)
  })

  it('covers the read of the credentials: nothing is sent if it is over then', async () => {
    const { upstream } = await prepare(responding(), {
      credentials: {
        get: async () => {
          passTime(51)
          return version('v1')
        },
      },
    })
    await upstream.send(request())
    const patch = request({ method: 'PATCH', body: Buffer.from('{}'), totalMs: 300 })
    await expect(upstream.send(patch)).rejects.toMatchObject({ kind: 'not-sent', sent: false })
    expect(heads()).toHaveLength(1)
  })

  it('covers the read of the credentials: the request gets the rest', async () => {
    const { upstream } = await prepare(() => passTime(400), {
      credentials: {
        get: async () => {
          passTime(1_000)
          return version('v1')
        },
      },
    })
    await expect(upstream.send(request({ totalMs: 1_400 }))).rejects.toMatchObject({ kind: 'timeout' })
  })
})
