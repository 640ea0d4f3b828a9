import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { dropDocument, duplicateDocument, onSearch } from '../../stand-in-faults.ts'
import { type Got, numbers, tokenOf, useStandIn } from './running-platform.ts'

const standIn = useStandIn()
const { start, call, first, next, scrollAll } = standIn

describe('a fault', () => {
  const status = { kind: 'status', status: 503, headers: { 'Retry-After': '2' }, body: 'busy' } as const
  const pageBytes = 3211
  it.each([
    { fault: { ...status, effect: 'before' }, cursor: 10, got: { status: 503, bytes: 4, retryAfter: '2' } },
    { fault: { ...status, effect: 'after' }, cursor: 20, got: { status: 503, bytes: 4, retryAfter: '2' } },
    { fault: { kind: 'reset', effect: 'before' }, cursor: 10, got: 'ECONNRESET' },
    { fault: { kind: 'reset', effect: 'after' }, cursor: 20, got: 'ECONNRESET' },
    { fault: { kind: 'cut' }, cursor: 20, got: { status: 200, bytes: 1605, isCut: true } },
    { fault: { kind: 'cut', framing: 'chunked' }, cursor: 20, got: { bytes: 1605, isCut: true } },
    { fault: { kind: 'cut', framing: 'close' }, cursor: 20, got: { bytes: 1605, isCut: false } },
    { fault: { kind: 'html' }, cursor: 10, got: { status: 200, type: 'text/html; charset=utf-8' } },
    { fault: { kind: 'redirect' }, cursor: 10, got: { status: 302, location: '/login' } },
    { fault: { kind: 'huge', bytes: 100_000 }, cursor: 10, got: { status: 200, bytes: 100_000 } },
    { fault: { kind: 'gzip' }, cursor: 20, got: { status: 200, encoding: 'gzip', bytes: pageBytes } },
    {
      fault: { kind: 'slow', beforeHeadersMs: 30, betweenChunksMs: 10, chunkBytes: 500 },
      cursor: 20,
      got: { status: 200, bytes: pageBytes, isCut: false },
    },
    {
      fault: { kind: 'body', change: () => Buffer.from('{"a":') },
      cursor: 20,
      got: { status: 200, bytes: 5 },
    },
  ] as const)(
    '$fault strikes page 2 once and leaves the cursor at document $cursor',
    async ({ fault, cursor, got }) => {
      await start()
      const rule = standIn.platform.faults.add({ match: onScroll({ entity: 'CL', page: 2 }), fault })
      const token = tokenOf(await first())
      const struck = await next(token).then(essence, (error: NodeJS.ErrnoException) => ({ code: error.code }))
      expect(struck).toMatchObject(typeof got === 'string' ? { code: got } : got)
      expect(rule.struck).toBe(1)
      expect(numbers(await next(token))[0]).toBe(cursor)
      expect(standIn.platform.requests.map((request) => request.fault)).toEqual([
        undefined,
        fault.kind,
        undefined,
      ])
    },
  )

  function essence({ status, isCut, headers, body }: Got) {
    const encoding = headers['content-encoding']
    return {
      status,
      isCut,
      bytes: (encoding === 'gzip' ? gunzipSync(body) : body).length,
      encoding,
      type: headers['content-type'],
      retryAfter: headers['retry-after'],
      location: headers.location,
    }
  }

  it.each([
    { what: 'the page before again', fault: { kind: 'repeat-page' }, firsts: [0, 10, 10, 20], lastPage: 5 },
    {
      what: 'a page repeated',
      fault: { kind: 'repeat-page', lose: true },
      firsts: [0, 10, 10],
      lastPage: 10,
    },
    { what: 'a page lost', fault: { kind: 'skip-page' }, firsts: [0, 10], lastPage: 10 },
    { what: 'an early end', fault: { kind: 'end', cursor: 'moves' }, firsts: [0, 10], lastPage: 10 },
    {
      what: 'a document twice',
      fault: { kind: 'page', change: duplicateDocument() },
      firsts: [0, 10, 20],
      lastPage: 6,
    },
    {
      what: 'a document lost',
      fault: { kind: 'page', change: dropDocument() },
      firsts: [0, 10, 21],
      lastPage: 4,
    },
  ] as const)('changes page 3: $what', async ({ fault, firsts, lastPage }) => {
    await start()
    standIn.platform.faults.add({ match: onScroll({ page: 3 }), fault })
    const pages = await scrollAll()
    expect(pages.map((page) => numbers(page)[0])).toEqual(firsts)
    expect(numbers(pages.at(-1) as Got)).toHaveLength(lastPage)
  })

  it('hangs without a response or in the middle of it until the caller gives up', async () => {
    await start()
    standIn.platform.faults.add({ match: onSearch(), fault: { kind: 'hang' } })
    standIn.platform.faults.add({ match: onSearch(), fault: { kind: 'hang', part: 0.5 } })
    const hung = () => call('/api/dataentities/CL/search', { signal: AbortSignal.timeout(100) })
    await expect(hung()).rejects.toThrow('abort')
    await expect(hung()).rejects.toThrow('abort')
    expect(standIn.platform.requests.map((request) => request.status)).toEqual([undefined, 200])
  })
})
