import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { downloadOf, readDocument, readPage } from '../../../../console/server/document-views/pages.ts'
import { readRecords, readRow } from '../../../../console/server/document-views/records.ts'

/** Objects of these sizes whose lines count from 0. */
function objectsOf(sizes: readonly number[], line: (index: number) => string) {
  const bodies = new Map<string, Buffer>()
  const read: string[] = []
  let first = 0
  const listed = sizes.map((count, index) => {
    const lines = Array.from({ length: count }, (_, at) => line(first + at))
    first += count
    const body = gzipSync(lines.map((text) => `${text}\n`).join(''))
    const key = `p${index + 1}`
    bodies.set(key, body)
    return { key, count, bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') }
  })
  const reader = async (key: string) => {
    read.push(key)
    return bodies.get(key)
  }
  return { listed, reader, read, bodies }
}

const note = 'x'.repeat(600)

describe('the records of a change set', () => {
  const { listed, reader, read } = objectsOf(
    [40, 30, 1],
    (index) => `{"op":"c","id":${index},"after":{"id":${index},"note":"${note}"}}`,
  )
  const parts = listed.map(({ count, ...part }) => ({ ...part, records: count }))
  const kept = objectsOf([2], (index) => `{"id":"kept-${index}"}`)
  const keptParts = kept.listed.map(({ count, key, ...part }) => ({
    ...part,
    key: `kept-${key}`,
    records: count,
  }))
  const readAny = (key: string) =>
    key.startsWith('kept-') ? kept.reader(key.slice('kept-'.length)) : reader(key)
  const counts = {
    created: 71,
    updated: 0,
    deleted: 0,
    unchanged: 4,
    rewritten: 3,
    withheld: 2,
    baseDocuments: 9,
  }
  const manifest = {
    entity: 'C L',
    runId: 'r',
    base: 'a',
    kind: 'changes',
    idField: 'id',
    stateDocuments: 80,
    parts,
    withheldParts: keptParts,
    ...counts,
  } as never

  it.each([
    [0, 0, 49, ['p1', 'p2']],
    [40, 40, 70, ['p2', 'p3']],
    [39, 39, 70, ['p1', 'p2', 'p3']],
    [20, 20, 69, ['p1', 'p2']],
    [21, 21, 70, ['p1', 'p2', 'p3']],
    [70, 70, 70, ['p3']],
  ])('from %i are %i to %i, from as few parts as possible', async (...[from, first, last, keys]) => {
    read.length = 0
    const { records, total } = await readRecords(manifest, from, readAny)
    expect([records[0]?.id?.text, records.at(-1)?.id?.text]).toEqual([String(first), String(last)])
    expect([records.length, total, read]).toEqual([last - first + 1, 71, keys])
    expect(records[0]?.path).toBe(`/entities/C%20L/changes/r/records/${from}`)
    expect(records.at(-1)?.path).toBe(`/entities/C%20L/changes/r/records/${last}`)
    expect(records[0]?.changes[1]?.after).toEqual({ text: `"${note.slice(0, 499)}`, length: 602 })
  })

  it('have the counts of their set, and none after a reset', async () => {
    const { kind, unchanged, rewritten, withheld, baseDocuments } = { kind: 'changes', ...counts }
    expect(await readRecords(manifest, 71, readAny)).toEqual({
      set: { runId: 'r', base: 'a', kind, created: 71, updated: 0, deleted: 0, delivered: 0 },
      counts: { unchanged, rewritten, withheld, held: null, baseDocuments },
      kept: {
        texts: [expect.stringMatching(/^Withheld: 2 documents missing from the snapshot/)],
        ids: ['"kept-0"', '"kept-1"'].map((text) => ({ text, length: 8 })),
      },
      audit: null,
      stateDocuments: 80,
      from: 71,
      total: 71,
      records: [],
    })
    const reset = {
      entity: 'CL',
      runId: 'r',
      base: null,
      kind: 'reset',
      stateDocuments: 80,
      parts: [],
      withheldParts: [],
    } as never
    expect(await readRecords(reset, 0, reader)).toMatchObject({
      set: { kind: 'reset', created: 0, updated: 0, deleted: 0 },
      counts: null,
      kept: { texts: [], ids: [] },
      total: 0,
    })
  })

  it('are read one by one', async () => {
    const { id, changes, path } = await readRow(manifest, 40, reader)
    expect([id?.text, changes[1]?.after?.text, path]).toEqual([
      '40',
      `"${note}"`,
      '/entities/C%20L/changes/r/records/40',
    ])
    await expect(readRow(manifest, 71, reader)).rejects.toMatchObject({
      problem: 'not-found',
      message: 'The change set has fewer records.',
    })
  })
})

describe('the documents of a snapshot', () => {
  const { listed, reader, bodies } = objectsOf([60, 2], (index) => `{"id":${index},"note":"${note}"}`)
  const pages = listed.map(({ count, ...page }) => ({ ...page, documents: count }))
  const manifest = { entity: 'CL', runId: 'r', idField: 'id', pages } as never

  it.each([
    [1, 0, 60, ['0', '49']],
    [1, 50, 60, ['50', '59']],
    [1, 9, 60, ['9', '58']],
    [2, 0, 2, ['60', '61']],
  ])('on page %i from %i are 50 at most', async (...[page, line, pageDocuments, ends]) => {
    const response = await readPage(manifest, { page, line }, reader)
    const { documents } = response
    expect([documents[0]?.id?.text, documents.at(-1)?.id?.text]).toEqual(ends)
    expect(response).toMatchObject({ page, from: line, pageDocuments })
    const path = `/entities/CL/snapshots/r/pages/${page}/documents`
    expect(documents[0]?.path).toBe(`${path}/${line}`)
    expect(documents.at(-1)?.path).toBe(`${path}/${line + documents.length - 1}`)
    expect(documents[0]?.fields[1]?.value).toEqual({ text: `"${note.slice(0, 499)}`, length: 602 })
  })

  it('are read one by one', async () => {
    const { id, fields, path } = await readDocument(manifest, { page: 2, line: 1 }, reader)
    expect([id?.text, fields[1]?.value.text, path]).toEqual([
      '61',
      `"${note}"`,
      '/entities/CL/snapshots/r/pages/2/documents/1',
    ])
  })

  it.each([
    [2, 2, 'The page has fewer documents.'],
    [3, 0, 'The snapshot has fewer pages.'],
    [0, 0, 'The snapshot has fewer pages.'],
  ])('do not exist on page %i at %i', async (page, line, message) => {
    const failure = readDocument(manifest, { page, line }, reader)
    await expect(failure).rejects.toMatchObject({ problem: 'not-found', message })
  })

  it('are downloaded as one file', async () => {
    const { status, headers, body } = downloadOf(manifest, reader)
    expect((await text(body as AsyncIterable<Uint8Array>)).split('\n').length).toBe(63)
    expect([status, headers]).toEqual([
      200,
      { 'content-type': 'application/x-ndjson', 'content-disposition': 'attachment; filename="CL-r.ndjson"' },
    ])
  })

  it('are not shown from a page that differs from the manifest', async () => {
    bodies.set('p2', gzipSync('{"id":1}\n'))
    await expect(readPage(manifest, { page: 2, line: 0 }, reader)).rejects.toThrow(
      /^The stored data is damaged: p2: \d+ bytes; the manifest has \d+\.$/,
    )
  })
})
