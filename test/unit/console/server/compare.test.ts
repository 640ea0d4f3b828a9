import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createComparisons } from '../../../../console/server/document-views/compare.ts'
import type { Manifest } from '../../../../functions/state/snapshots/manifest.ts'
import type { SnapshotPair } from '../../../../operator/compare/compare-snapshots.ts'

type Pages = readonly (readonly string[])[]

/** Two snapshots of these pages. */
function world(before: Pages, after: Pages, idField = 'id') {
  const objects = new Map<string, Buffer>()
  const read: string[] = []
  const snapshot = (runId: string, pages: Pages) =>
    ({
      entity: 'CL',
      runId,
      idField,
      documents: pages.flat().length,
      pages: pages.map((lines, index) => {
        const body = gzipSync(lines.map((line) => `${line}\n`).join(''))
        const key = `${runId}/${index}`
        objects.set(key, body)
        const sha256 = createHash('sha256').update(body).digest('hex')
        return { key, documents: lines.length, bytes: body.length, sha256 }
      }),
    }) as unknown as Manifest
  const pair: SnapshotPair = {
    before: snapshot('a', before),
    after: snapshot('b', after),
    ignored: new Set(['seen']),
  }
  const comparisons = createComparisons(async (key) => {
    read.push(key)
    return objects.get(key)
  })
  return { pair, objects, read, comparisons }
}

const list = async (before: Pages, after: Pages, idField?: string) => {
  const { comparisons, pair } = world(before, after, idField)
  return comparisons.list(pair, 0)
}

describe('two snapshots', () => {
  it('differ by created, updated and deleted documents, wherever these are', async () => {
    const { counts, records, total } = await list(
      [['{"id":"a","n":1}', '{"id":"b"}'], ['{"id":7}']],
      [['{"id":"c"}'], ['{"id":7}', '{"id":"a","n":2}']],
    )
    expect([counts, total]).toEqual([{ created: 1, updated: 1, deleted: 1, unchanged: 1 }, 3])
    expect(records.map(({ kind, id, changes }) => [kind, id?.text, changes])).toEqual([
      ['created', '"c"', [{ name: 'id', before: null, after: { text: '"c"', length: 3 } }]],
      ['updated', '"a"', [{ name: 'n', before: { text: '1', length: 1 }, after: { text: '2', length: 1 } }]],
      ['deleted', '"b"', [{ name: 'id', before: { text: '"b"', length: 3 }, after: null }]],
    ])
  })

  it('are compared by the field that identifies their documents', async () => {
    const { counts } = await list([['{"id":1,"code":"a"}']], [['{"id":2,"code":"a"}']], 'code')
    expect(counts).toEqual({ created: 0, updated: 1, deleted: 0, unchanged: 0 })
  })

  it.each<[name: string, before: string[], after: string[], counts: number[]]>([
    [
      'are equal whatever the order of fields and the white space',
      ['{"id":1,"a":2}'],
      ['{ "a": 2, "id": 1 }'],
      [0, 0, 0, 1],
    ],
    ['differ if a number is written in another way', ['{"id":1,"a":1}'], ['{"id":1,"a":1.0}'], [0, 1, 0, 0]],
    ['recognize an id however it is escaped', ['{"id":"c"}'], ['{"id":"\\u0063"}'], [0, 0, 0, 1]],
    [
      'are equal whatever the order of nested keys, and whatever an ignored field contains',
      ['{"id":1,"a":[{"b":1,"c":2}],"seen":1}'],
      ['{"id":1,"a":[{"c":2,"b":1}],"seen":2}'],
      [0, 0, 0, 1],
    ],
    ['do not take a number for a string', ['{"id":1}'], ['{"id":"1"}'], [1, 0, 1, 0]],
    [
      'identify documents without an id by their bytes',
      ['{"x":1}', '{"x":2}'],
      ['{"x":2}', '{"x":3}'],
      [1, 0, 1, 1],
    ],
    [
      'compare the last document of each id',
      ['{"id":1,"a":1}', '{"id":1,"a":2}'],
      ['{"id":1,"a":2}'],
      [0, 0, 0, 1],
    ],
  ])('%s', async (...[, before, after, counts]) => {
    expect(Object.values((await list([before], [after])).counts)).toEqual(counts)
  })

  it('show a document without an id without one', async () => {
    expect((await list([[]], [['{"x":1}']])).records[0]).toMatchObject({ kind: 'created', id: null })
  })

  it('are compared once, and list 50 documents at a time', async () => {
    const many = Array.from({ length: 120 }, (_, index) => `{"id":${index}}`)
    const { comparisons, pair, read } = world([[]], [many])
    const first = await comparisons.list(pair, 0)
    expect([first.records.length, first.from, first.total]).toEqual([50, 0, 120])
    read.length = 0
    const last = await comparisons.list(pair, 100)
    expect(last.records.map(({ id }) => id?.text)).toEqual(
      many.slice(100).map((_, index) => String(100 + index)),
    )
    expect(read).not.toContain('a/0')
    expect(last.records[0]?.path).toBe('/entities/CL/compare/a/b/records/100')
  })

  it('show one document with its whole values', async () => {
    const note = 'x'.repeat(2_000)
    const { comparisons, pair } = world([[]], [[`{"id":1,"note":"${note}"}`]])
    const [listed] = (await comparisons.list(pair, 0)).records
    expect(listed?.changes[1]?.after?.text).toHaveLength(500)
    expect((await comparisons.read(pair, 0)).changes[1]?.after?.text).toBe(`"${note}"`)
    await expect(comparisons.read(pair, 1)).rejects.toMatchObject({ problem: 'not-found' })
  })

  it('are compared again in the other direction, and with another snapshot', async () => {
    const { comparisons, pair } = world([['{"id":1}', '{"id":2}']], [['{"id":2}']])
    const { before, after } = pair
    const pairs = [pair, { ...pair, before: after, after: before }, { ...pair, before: after }, pair]
    const counts = []
    for (const one of pairs) counts.push((await comparisons.list(one, 0)).counts)
    expect(counts).toMatchObject([
      { created: 0, deleted: 1, unchanged: 1 },
      { created: 1, deleted: 0, unchanged: 1 },
      { created: 0, deleted: 0, unchanged: 1 },
      { created: 0, deleted: 1, unchanged: 1 },
    ])
  })

  it('are compared again after a failure', async () => {
    const { comparisons, pair, objects } = world([['{"id":1}']], [[]])
    const body = objects.get('a/0')
    objects.delete('a/0')
    await expect(comparisons.list(pair, 0)).rejects.toThrow(
      'The stored data is damaged: The object a/0 is missing.',
    )
    objects.set('a/0', body ?? Buffer.alloc(0))
    expect((await comparisons.list(pair, 0)).counts.deleted).toBe(1)
  })
})
