import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { clientLimits, maxCallMs } from '../../../../functions/runtime/client-limits.ts'
import type { UpstreamRequest } from '../../../../functions/upstream/client.ts'
import { CredentialsError, UpstreamFailure } from '../../../../functions/upstream/exchange.ts'
import { ReceivedIds } from '../../../../functions/worker/page/received-ids.ts'
import { RepeatDetector } from '../../../../functions/worker/page/repeat-detector.ts'
import { ExchangeRecord } from '../../../../functions/worker/scroll/exchange-record.ts'
import { faultName } from '../../../../functions/worker/scroll/fault.ts'
import { type ScrollSession, scrollIo } from '../../../../functions/worker/scroll/io.ts'
import { LeaseLost } from '../../../../stored/lease.ts'
import { type CommittedPage, startPosition } from '../../../../stored/pages/page.ts'
import { newRange } from '../../../../stored/run/range.ts'

type Context = Parameters<typeof scrollIo>[0]

const now = 1_800_000_000_000
const seconds = 1_000
const cursor = { token: 'next', pageSize: 2, total: 4, openedAt: now, respondedAt: now }

const range = newRange({ filter: undefined, pageSize: 2, now })

/** The I/O of a scroll whose platform gives one response, with what the run and the stores receive. */
function connect({
  respond = async () => ({ status: 200, headers: {}, body: Buffer.from('[{"id":1}]') }),
  killedAt = now + 900 * seconds,
  isOver = false,
  hasAll = true,
}: {
  respond?: (request: UpstreamRequest) => Promise<{ status: number; headers: object; body: Buffer }>
  killedAt?: number
  isOver?: boolean
  hasAll?: boolean
} = {}) {
  const counted: string[] = []
  const logged: unknown[][] = []
  const requests: UpstreamRequest[] = []
  const pages: CommittedPage[] = []
  const objects = new Map<string, Buffer>()
  const io = scrollIo(
    {
      upstream: {
        send: async (request: UpstreamRequest) => {
          requests.push(request)
          await request.beforeSend?.()
          return respond(request)
        },
        redact: (text: string) => text.replaceAll('secret', '[redacted]'),
      },
      log: (...line: unknown[]) => logged.push(line),
      state: {
        commitPage: async (_: unknown, page: CommittedPage) => void pages.push(page),
        commitEnd: async () => {},
        async *pages() {
          yield* pages
        },
      },
      snapshots: {
        putPage: async (key: string, object: Buffer) => void objects.set(key, object),
        readPage: async (key: string) => objects.get(key),
      },
      now: () => now,
      random: () => 0.5,
      sleep: async () => {},
      compress: async (bytes: Buffer) => gzipSync(bytes),
      uniqueName: () => 'name',
    } as unknown as Context,
    {
      attempt: { entity: 'CL', runId: 'run-1', attempt: 2 },
      idField: 'id',
      timeIsUp: () => isOver,
      owner: {
        renew: async () => void counted.push('renew'),
        countRequest: async (bytes) => void counted.push(`request of ${bytes} bytes`),
        countFault: async (fault) => void counted.push(`fault ${faultName(fault)}`),
      },
      range,
      change: async (change) => void counted.push(change(range).suspect ? 'suspect' : 'change'),
      recordProgress: ({ kind, page }) => void counted.push(`${kind} ${page}`),
      beforeOpening: async () => void counted.push('opening'),
      checkOpening: async (total) => ({ kind: 'agreement', total }),
    } satisfies ScrollSession,
    {
      invocation: { worker: 'worker', handOffAt: killedAt, killedAt },
      repeats: new RepeatDetector(),
      ids: new ReceivedIds({ hasAll }),
      record: new ExchangeRecord([], { now: () => 0, redact: (text) => text }),
    },
  )
  return { io, counted, logged, requests }
}

describe('a scroll request', () => {
  it('asks for plain JSON with the credentials for documents, once', async () => {
    const { io, requests, counted } = connect()
    await io.request('/scroll?_size=2', 'first')
    expect(requests).toMatchObject([
      {
        area: 'documents',
        method: 'GET',
        target: '/scroll?_size=2',
        headers: {
          Accept: 'application/json',
          'Accept-Encoding': 'identity',
          'Content-Type': 'application/json',
        },
        idleMs: 60 * seconds,
        maxBytes: 256 * 1024 * 1024,
        onceOnly: true,
      },
    ])
    expect(counted).toEqual(['renew', 'request of 10 bytes'])
  })

  const reserved = (maxCallMs(clientLimits.bucket) + maxCallMs(clientLimits.table)) / seconds
  it.each([
    ['at most 110 seconds', 900, 110],
    ['until its page can just be stored and committed before Lambda ends the worker', 100, 100 - reserved],
    ['one second if the time is almost over', reserved + 0.5, 1],
  ])('may take %s', async (_, killedAfter, allowed) => {
    const { io, requests } = connect({ killedAt: now + killedAfter * seconds })
    await io.request('/scroll', 'first')
    expect(requests[0]?.totalMs).toBe(allowed * seconds)
  })

  it.each([
    ['its status', 503, '[]', 'fault 503'],
    ['its status if it is a redirect', 300, '[]', 'fault 300'],
    ['not-json for a truncated page', 200, '[{"id":1}', 'fault not-json'],
    ['not-json for HTML', 200, '<html>', 'fault not-json'],
    ['not-json for a first page that is truncated after a bracket', 200, '[{"id":[1]', 'fault not-json'],
  ])('counts as a fault under %s', async (_, status, ...[body, fault]) => {
    const { io, counted } = connect({
      respond: async () => ({ status, headers: {}, body: Buffer.from(body) }),
    })
    await io.request('/scroll', 'first')
    expect(counted).toEqual(['renew', `request of ${body.length} bytes`, fault])
  })

  it.each([
    ['not-json if its page is malformed', '[{"id":1}{}]', 'fault not-json'],
    ['too-large if its page has too many documents', `[{}${',{}'.repeat(45_000)}]`, 'fault too-large'],
  ])('counts as a fault under %s', async (_, body, fault) => {
    const { io, counted } = connect()
    await expect(io.prepare(Buffer.from(body))).rejects.toThrow(/JSON|documents/)
    expect(counted).toEqual([fault])
  })

  it('without a response counts as a fault under the name of the failure', async () => {
    const error = new UpstreamFailure('timeout')
    const { io, counted } = connect({ respond: () => Promise.reject(error) })
    await expect(io.request('/scroll', 'first')).rejects.toBe(error)
    expect(counted).toEqual(['renew', 'request of 0 bytes', 'fault timeout'])
  })

  it.each([
    ['the run was lost before it was sent', new LeaseLost('Another worker.')],
    ['there are no credentials to send it with', new CredentialsError('unreadable', 'Access denied.')],
  ])('does not count if %s', async (_, error) => {
    const { io, counted } = connect({ respond: () => Promise.reject(error) })
    await expect(io.request('/scroll', 'first')).rejects.toBe(error)
    expect(counted).toEqual(['renew'])
  })
})

describe('the scroll of a run', () => {
  it.each([true, false])('stops soon if the run must stop soon: %s', (isOver) => {
    expect(connect({ isOver }).io.timeIsUp()).toBe(isOver)
  })

  it('logs with its attempt why it became suspect', async () => {
    const { io, logged, counted } = connect()
    await io.markSuspect('timed out')
    expect(logged).toEqual([
      ['WARN', 'request outcome unknown', { entity: 'CL', runId: 'run-1', attempt: 2, detail: 'timed out' }],
    ])
    expect(counted).toEqual(['suspect'])
  })

  it('records the position of what it commits', async () => {
    const { io, counted } = connect()
    const page = await io.prepare(Buffer.from('[{"id":1}]'))
    const received = io.takeReceived()
    const position = await io.storePage({ page, cursor, after: startPosition(2), received })
    await io.storeEnd(cursor, position, 'confirmed')
    expect(counted).toEqual(['page 1', 'end 2'])
  })

  it('counts consecutive pages of ids that it received before', async () => {
    const { io } = connect()
    const page = (id: number) => io.prepare(Buffer.from(`[{"id":${id}}]`))
    let position = startPosition(2)
    const repeated = []
    for (const id of [1, 2, 1, 2, 3]) {
      const received = io.takeReceived()
      position = await io.storePage({ page: await page(id), cursor, after: position, received })
      repeated.push(position.repeatedPages)
    }
    expect(repeated).toEqual([0, 0, 1, 2, 0])
    expect(io.uniqueIds()).toBe(3)
    expect(await io.storeEnd(cursor, position, 'confirmed')).toMatchObject({
      kind: 'end',
      page: 6,
      documentsSoFar: 5,
    })
  })

  it.each([
    ['most of its ids', '[{"id":2},{"id":3},{"id":1}]', true],
    ['half of them', '[{"id":1},{"id":3}]', false],
    ['a document without an id', '[{"id":1},{"id":2},{}]', false],
  ])('finds the first page again by %s, as it is stored', async (_, body, isRepeated) => {
    const { io } = connect({ hasAll: false })
    let position = startPosition(2)
    for (const stored of ['[{"id":1},{"id":2}]', '[{"id":3}]']) {
      const page = await io.prepare(Buffer.from(stored))
      position = await io.storePage({ page, cursor, after: position, received: io.takeReceived() })
    }
    expect(await io.repeatsFirstPage(await io.prepare(Buffer.from(body)))).toBe(isRepeated)
  })
})
