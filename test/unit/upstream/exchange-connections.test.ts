import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import type { UpstreamFailure } from '../../../functions/upstream/exchange.ts'
import { rawResponse, type Serve } from './raw-server.ts'
import { exchangeTests, failureOf, get, sleep } from './started-exchange.ts'

const { prepare } = exchangeTests()

describe('connections are reused', () => {
  it('by consecutive exchanges', async () => {
    const { server, exchange } = await prepare((socket) => socket.write(rawResponse('x')))
    for (let count = 0; count < 5; count++) await exchange(get())
    expect(server.connections()).toBe(1)
    expect(server.requests).toHaveLength(5)
  })

  it('not by concurrent exchanges, and not after Connection: close', async () => {
    const { server, exchange } = await prepare((socket) =>
      socket.end(rawResponse('x', '200 OK', ['Connection: close'])),
    )
    await Promise.all([exchange(get()), exchange(get())])
    await exchange(get())
    expect(server.connections()).toBe(3)
  })

  it('not after a failed exchange', async () => {
    const { server, exchange } = await prepare((socket, number) => {
      if (number > 1) socket.write(rawResponse('second'))
    })
    expect((await failureOf(exchange(get({ totalMs: 300 })))).kind).toBe('timeout')
    expect((await exchange(get())).body.toString()).toBe('second')
    expect(server.connections()).toBe(2)
  })

  it('and a second response to one request is never taken for the response to the next', async () => {
    const { exchange } = await prepare((socket, number) =>
      socket.write(number === 1 ? rawResponse('first') + rawResponse('smuggled') : rawResponse('second')),
    )
    const first = await exchange(get()).catch((error: UpstreamFailure) => error.kind)
    expect(['interrupted', 'first']).toContain(typeof first === 'string' ? first : first.body.toString())
    await sleep(20)
    expect((await exchange(get())).body.toString()).toBe('second')
  })

  it('and a response without a request is never taken for the response to the next', async () => {
    const { exchange } = await prepare((socket, number) => {
      socket.write(rawResponse(`response ${number}`))
      smuggle = () => socket.write(rawResponse('smuggled'))
    })
    let smuggle: () => unknown = () => undefined
    expect((await exchange(get())).body.toString()).toBe('response 1')
    smuggle()
    await sleep(80)
    expect((await exchange(get())).body.toString()).toBe('response 2')
  })
})

describe('an idle connection', () => {
  const served: Serve = (socket) => socket.write(rawResponse('x'))

  async function connectionsAfter(idleMs: number, onceOnly: boolean, pass: (ms: number) => unknown) {
    const { server, exchange } = await prepare(served)
    await exchange(get())
    // The agent takes the connection back after the response has been returned.
    await sleep(20)
    pass(idleMs)
    await exchange(get({ onceOnly }))
    return server.connections()
  }

  const wallClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  const monotonicClock = (ms: number) => {
    const start = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(start + ms)
  }

  it.each([
    ['is used for a request that must not be repeated if it was used just now', 0, true, 1],
    ['is used for a request that must not be repeated after a second', 1_000, true, 1],
    ['is not used for a request that must not be repeated after more than 1.5 s', 1_600, true, 2],
    ['is used for any other request after 49 s', 49_000, false, 1],
    ['is not used for any other request after more than 50 s', 50_500, false, 2],
    ['is not used after the function was frozen for an hour', 3_600_000, false, 2],
  ])('%s', async (_, ...[idleMs, onceOnly, connections]) => {
    expect(await connectionsAfter(idleMs, onceOnly, wallClock)).toBe(connections)
    vi.useRealTimers()
    expect(await connectionsAfter(idleMs, onceOnly, monotonicClock)).toBe(connections)
  })

  it('is not used after 1.6 s for a request that must not be repeated, even if the wall clock was set back', async () => {
    const connections = await connectionsAfter(1_600, true, (ms) => {
      monotonicClock(ms)
      wallClock(-3_600_000)
    })
    expect(connections).toBe(2)
  })

  it('is closed, and a fresh one is used', async () => {
    const { server, exchange } = await prepare((socket) => setTimeout(() => served(socket, 0), 30))
    await Promise.all([exchange(get()), exchange(get()), exchange(get())])
    expect(server.connections()).toBe(3)
    await sleep(20)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_000 })
    await exchange(get())
    await sleep(20)
    await exchange(get({ onceOnly: true }))
    expect(server.connections()).toBe(3)
    await vi.waitFor(() => expect(server.open()).toBe(1), 20_000)
  })
})

it('an exchange never keeps the process alive after its end', async () => {
  const { server } = await prepare((socket, number) => {
    if (number === 1) socket.write(rawResponse('whole'))
    if (number === 2) socket.resetAndDestroy()
    if (number === 3) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')
    if (number === 4) socket.write(rawResponse('x'.repeat(100)))
    if (number === 6) socket.write(rawResponse('whole'))
  })
  const program = `
    const { createExchange } = await import(${JSON.stringify(new URL('../../../functions/upstream/exchange.ts', import.meta.url).href)})
    const exchange = createExchange(${JSON.stringify(server.url)})
    const request = { method: 'GET', target: '/', headers: {}, totalMs: 600_000, idleMs: 300_000, maxBytes: 50 }
    const results = []
    const send = (to, change) => to({ ...request, ...change }).then(({ body }) => results.push(String(body)), ({ kind }) => results.push(kind))
    for (let count = 0; count < 4; count++) await send(exchange)
    await send(exchange, { idleMs: 300 })
    await send(createExchange('http://127.0.0.1:1'))
    await send(exchange)
    process.stdout.write(results.join(' '))`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const [code, results] = await Promise.all([ended, text(child.stdout)])
  clearTimeout(limit)
  expect(results).toBe('whole interrupted interrupted too-large timeout unreachable whole')
  expect(code).toBe(0)
})
