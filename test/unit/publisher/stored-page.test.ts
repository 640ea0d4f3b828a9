import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countPages } from '../../../functions/publisher/check/count.ts'
import {
  attemptName,
  checkKey,
  decodeCheckedPages,
  encodeCheckedPages,
  entriesByPage,
  entryBytes,
  listedName,
} from '../../../functions/publisher/check/entries.ts'
import { IdTable } from '../../../functions/publisher/check/id-table.ts'
import { checkPage, type ListedPage } from '../../../functions/publisher/check/page.ts'
import { readLines } from '../../../functions/publisher/check/stored-lines.ts'
import type { ReceivedPage } from '../../../stored/pages/page.ts'

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const documents = ['{"id":"a"}', '{"id":1e2,"inner":{"id":7}}', '{"no":"id"}', '{"id":true,"x":"é"}']
const linesOf = (documents: readonly string[]) => Buffer.from(documents.map((one) => `${one}\n`).join(''))

const objectOf = (text: string | Buffer) => gzipSync(text)
const listed = (object: Buffer, change: Partial<ListedPage> = {}): ListedPage => ({
  key: 'snapshots/CL/run/a1-p000007-x.ndjson.gz',
  documents: documents.length,
  bytes: object.length,
  sha256: sha256(object),
  ...change,
})
const body = `[${documents.join(',')}]`
const bodyBytes = Buffer.byteLength(body)
const responseOf = (bytes: number) => ({
  exchanges: [
    { at: 1, error: 'timeout' as const },
    { at: 2, status: 200, bodyBytes: bytes },
  ],
})
const received: ReceivedPage = {
  request: '',
  ...responseOf(bodyBytes),
  bodySha256: sha256(body),
  spaceBytes: 0,
  replacesLineBreaks: false,
}
const check = (object: Buffer | undefined, page = listed(object ?? Buffer.alloc(0)), of = received) =>
  checkPage(object, { page, idField: 'id', received: of })

const entriesOf = (documents: readonly string[]) => readLines(objectOf(linesOf(documents)), 'id').entries
const entry = (identity: string, document: string) =>
  sha256(identity).slice(0, 32) + sha256(document).slice(0, 16)

describe('a page as it is stored', () => {
  const intact = objectOf(linesOf(documents))

  it('is counted with the hashes of its ids and bytes', () => {
    const { documents: count, withoutId, entries } = check(intact)
    expect({ count, withoutId }).toEqual({ count: 4, withoutId: 1 })
    const [a = '', b = '', c = '', d = ''] = documents
    expect(entries.toString('hex')).toBe(entry('"a"', a) + entry('1e2', b) + entry(c, c) + entry('true', d))
  })

  it('may have white space and line breaks that were replaced', () => {
    const spaced = { ...received, ...responseOf(bodyBytes + 3), spaceBytes: 3, bodySha256: 'other' }
    expect(check(intact, listed(intact), spaced).documents).toBe(4)
    const replaced = { ...received, replacesLineBreaks: true, bodySha256: 'other' }
    expect(check(intact, listed(intact), replaced).documents).toBe(4)
    const notReceived = { page: listed(intact), idField: 'id', received: undefined }
    expect(checkPage(intact, notReceived).documents).toBe(4)
  })

  const broken = (change: (lines: Buffer) => Buffer) => objectOf(change(linesOf(documents)))
  const trailing = Buffer.concat([intact, Buffer.from('zzzz')])
  const padded = Buffer.concat([intact, Buffer.alloc(8)])
  const length = Buffer.concat([intact, Buffer.alloc(1), intact.subarray(-4)])
  const bytes = intact.length + 1
  const otherBody = { bodySha256: sha256('[]') }
  const tooShort = `stands for a response of ${bodyBytes} bytes; ${bodyBytes + 5} were received`
  const twice = Buffer.concat([objectOf('{"id":1}\n'), objectOf('{"id":2}\n')])
  it.each<[string, Buffer | undefined, string, Partial<ListedPage>?, Partial<ReceivedPage>?]>([
    ['gone', undefined, 'does not exist'],
    ['of another size', intact, `has ${bytes - 1} bytes; ${bytes} were committed`, { bytes }],
    ['with another hash', intact, `; ${'0'.repeat(64)} was committed`, { sha256: '0'.repeat(64) }],
    ['not gzip', Buffer.from('{"id":1}\n'), 'is not one whole gzip stream'],
    ['empty bytes', Buffer.alloc(0), 'is not one whole gzip stream'],
    ['cut off', intact.subarray(0, -9), 'is not one whole gzip stream'],
    ['followed by other bytes', trailing, 'is not one whole gzip stream'],
    ['followed by zeros', padded, 'is not one whole gzip stream'],
    ['followed by zero and its length', length, 'is not one whole gzip stream'],
    ['of two gzip streams', twice, 'is not one whole gzip stream'],
    ['not UTF-8', broken(() => Buffer.from([0x7b, 0xff, 0x7d, 0x0a])), 'is not UTF-8'],
    ['without its last line feed', broken((lines) => lines.subarray(0, -1)), 'does not end with a line feed'],
    ['with a line that is not JSON', objectOf('{"id":1}\n{"id":\n'), 'has a line 2 that is not JSON'],
    ['with an empty line', objectOf('\n'), 'has a line 1 that is not JSON'],
    ['with a list', objectOf('[]\n'), 'has a line 1 that is not a JSON object'],
    ['with a number', objectOf('1\n'), 'has a line 1 that is not a JSON object'],
    ['with null', objectOf('null\n'), 'has a line 1 that is not a JSON object'],
    ['with two documents in a line', objectOf('{"id":1}{"id":2}\n'), 'has a line 1 that is not JSON'],
    ['with a document less', objectOf(linesOf(documents.slice(1))), 'has 3 documents; 4 were committed'],
    ['with a thousand', objectOf('{}\n'.repeat(1234)), 'has 1,234 documents; 4 were committed'],
    ['of a longer response', intact, tooShort, {}, responseOf(bodyBytes + 5)],
    ['of no response', intact, `${bodyBytes} bytes; 0 were received`, {}, { exchanges: [] }],
    ['of other bytes than were received', intact, 'not have the bytes that were received', {}, otherBody],
  ])('is damaged if it is %s', (_, ...[object, message, page = {}, change = {}]) => {
    const run = () => check(object, listed(object ?? Buffer.alloc(0), page), { ...received, ...change })
    expect(run).toThrow('The page snapshots/CL/run/a1-p000007-x.ndjson.gz as stored ')
    expect(run).toThrow(message)
  })

  it('takes no inherited member for an id', () => {
    expect(readLines(objectOf('{}\n'), 'constructor').withoutId).toBe(1)
  })

  it('may have no lines', () => expect(readLines(objectOf(''), 'id').documents).toBe(0))
})

describe('what is stored of checked pages', () => {
  const page = (documents: number) => ({
    page: listed(Buffer.alloc(1), { documents }),
    etag: '"e"',
    withoutId: 1,
  })
  const checked = { pages: [page(1), page(2)], entries: Buffer.alloc(3 * entryBytes, 'entries') }
  const stored = encodeCheckedPages(checked)

  it('is read again, page by page', () => {
    expect(decodeCheckedPages(stored)).toEqual(checked)
    const [one, two] = [checked.entries.subarray(0, entryBytes), checked.entries.subarray(entryBytes)]
    expect([...entriesByPage(checked)]).toEqual([
      { page: page(1).page, withoutId: 1, entries: one },
      { page: page(2).page, withoutId: 1, entries: two },
    ])
  })

  it.each([
    ['of another version', '{"version":2,"pages":[]}\n'],
    ['cut off', stored.subarray(0, -1)],
    ['not JSON', 'pages\n'],
    ['without pages', '{"version":1}\n'],
  ])('is not read if it is %s', (_, object) => {
    expect(decodeCheckedPages(Buffer.from(object))).toBeUndefined()
  })

  it.each([
    [attemptName('', 1), 7, 'run/check-a1-p000007.bin'],
    [attemptName('r2', 3), 1_000_000, 'run/check-r2-a3-p1000000.bin'],
    [listedName, 1, 'run/check-listed-p000001.bin'],
  ])('of %s from page %s on has the key %s', (name, first, key) => {
    expect(checkKey('run/', name, first)).toBe(key)
  })
})

it('numbers ids in their order, also more than it expects', () => {
  const all = Buffer.from(
    Array.from({ length: 512 }, (_, id) => sha256(`${id}`).slice(0, 32)).join(''),
    'hex',
  )
  const hashOf = (number: number) => all.subarray(16 * number, 16 * number + 16)
  const numberIn = (number: number) => BigInt(`0x${hashOf(number).toString('hex')}`)
  const table = new IdTable(0)
  const numbers = [...Array(512).keys()]
  expect(numbers.map((number) => table.numberOf(all, 16 * number))).toEqual(numbers)
  expect(table.sum()).toBe(numbers.reduce((sum, number) => sum + numberIn(number), 0n))
  const zero = Buffer.alloc(16)
  expect([table.has(zero, 0), table.numberOf(zero, 0), table.has(zero, 0)]).toEqual([false, 512, true])
  expect(numbers.map((number) => table.numberOf(all, 16 * number))).toEqual(numbers)
  expect([table.size, table.sum((number) => number === 7)]).toEqual([513, numberIn(7)])
  expect(table.bytesOf(7)).toEqual(hashOf(7))
})

describe('the count of pages', () => {
  const pagesOf = (ids: readonly (readonly number[])[], withoutId = 0) =>
    ids.map((page, index) => ({
      page: index,
      withoutId,
      entries: entriesOf(page.map((id) => `{"id":${id}}`)),
    }))
  const count = (pages: ReturnType<typeof pagesOf>, documents?: number) =>
    countPages(
      async function* () {
        yield* pages
      },
      documents ?? pages.reduce((sum, { entries }) => sum + entries.length / entryBytes, 0),
    )

  it('drops a page whose ids were all seen before', async () => {
    const counted = await count(
      pagesOf([
        [1, 2],
        [2, 1],
        [2, 3],
        [3, 3, 3],
      ]),
    )
    expect(counted).toMatchObject({ documents: 4, uniqueIds: 3, withoutId: 0, received: 9 })
    expect(counted).toMatchObject({ largestPage: 3, largestPages: 1, pages: [0, 2] })
    expect(await count(pagesOf([[1, 2], [3], [4, 5], [1, 2]]))).toMatchObject({ largestPages: 3 })
  })

  it('keeps a repeated page that has a document without an id', async () => {
    const repeated = pagesOf([[1], [1]], 1)
    expect(await count(repeated)).toMatchObject({ documents: 2, uniqueIds: 1, withoutId: 2, pages: [0, 1] })
  })

  it('counts the id whose hash is zero', async () => {
    const zero = Buffer.alloc(2 * entryBytes)
    expect(await count([{ page: 0, withoutId: 0, entries: zero }])).toMatchObject({ uniqueIds: 1, idSum: 0n })
  })

  it('counts nothing', async () => {
    expect(await count([])).toMatchObject({ documents: 0, uniqueIds: 0, largestPage: 0, largestPages: 0 })
  })

  it('counts more pages than a call can have arguments', async () => {
    const pages = Array.from({ length: 999_000 }, () => ({ page: 0, withoutId: 1, entries: Buffer.alloc(0) }))
    expect(await count(pages)).toMatchObject({ withoutId: 999_000, largestPages: 999_000 })
  })

  it('agrees with a set of ids', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat({ max: 40 }), { maxLength: 8 }), { maxLength: 8 }),
        async (ids) => {
          const counted = await count(pagesOf(ids), 1)
          const all = new Set(ids.flat())
          const sum = [...all].reduce(
            (before, id) => before + BigInt(`0x${sha256(String(id)).slice(0, 32)}`),
            0n,
          )
          const seen = new Set<number>()
          const kept = ids.flatMap((page, index) => {
            const isNew = page.some((id) => !seen.has(id))
            for (const id of page) seen.add(id)
            return isNew ? [index] : []
          })
          expect(counted.uniqueIds).toBe(all.size)
          expect(counted.idSum).toBe(sum % 2n ** 128n)
          expect(counted.pages).toEqual(kept)
        },
      ),
    )
  })

  it.each([
    [1, 1],
    [2 ** 24 + 1, 4],
  ])('reads the pages of %s documents in %s passes', async (documents, passes) => {
    let reads = 0
    const read = async function* () {
      reads++
      yield* pagesOf([[1]])
    }
    expect(await countPages(read, documents)).toMatchObject({ uniqueIds: 1 })
    expect(reads).toBe(passes)
  })

  it('grows beyond the number of documents that it expects', async () => {
    const ids = Array.from({ length: 3000 }, (_, id) => id)
    expect(await count(pagesOf([ids]), 1)).toMatchObject({ uniqueIds: 3000, documents: 3000 })
  })
})
