import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { documentRow, recordRow } from '../../../../console/server/document-views/values.ts'
import {
  attemptName,
  checkKey,
  encodeCheckedPages,
  entryBytes,
  idHashBytes,
  listedName,
} from '../../../../functions/publisher/check/entries.ts'
import { findDocument } from '../../../../operator/history/find-document.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'

const big = 'x'.repeat(1_000_000)

describe('a document', () => {
  it('keeps its values as sent, and cuts long ones until they are asked for', () => {
    const line = Buffer.from(`{"id":"a","balance":1000000000000001.10,"note":"${big}"}`)
    const stored = { line, idField: 'id', path: '/p' }
    const { id, bytes, fields, path } = documentRow(stored, 'beginning')
    expect([id?.text, bytes, path]).toEqual(['"a"', line.length, '/p'])
    expect(fields[1]).toEqual({ name: 'balance', value: { text: '1000000000000001.10', length: 19 } })
    expect(fields[2]?.value).toMatchObject({ length: 1_000_002 })
    expect(fields[2]?.value.text.length).toBe(500)
    expect(documentRow(stored, 'whole').fields[2]?.value.text.length).toBe(1_000_002)
  })

  it('may have no id', () =>
    expect(documentRow({ line: Buffer.from('{"id":null}'), idField: 'id', path: '' }, 'whole').id).toBeNull())
})

describe('a record', () => {
  const row = (text: string) => recordRow({ line: Buffer.from(text), path: '/p' }, 'beginning')

  it('lists the fields that were added, removed and changed, by their text', () => {
    const { kind, id, changes, unchanged } = row(
      '{"op":"u","id":7,"before":{"id":7,"a":1,"b":true,"same":null},"after":{"id":7,"a":1.0,"same":null,"c":{"d":[]}}}',
    )
    expect([kind, id?.text, unchanged]).toEqual(['updated', '7', 2])
    expect(changes.map(({ name, before, after }) => [name, before?.text, after?.text])).toEqual([
      ['a', '1', '1.0'],
      ['c', undefined, '{"d":[]}'],
      ['b', 'true', undefined],
    ])
  })

  it('of a created or deleted document has one side', () => {
    expect(row('{"op":"c","id":"a","after":{"id":"a"}}')).toMatchObject({
      kind: 'created',
      changes: [{ name: 'id', before: null }],
    })
    expect(row('{"op":"d","id":null,"before":{"x":1}}')).toMatchObject({
      kind: 'deleted',
      id: null,
      changes: [{ name: 'x', after: null }],
    })
  })

  it('of an increment has what it read', () => {
    expect(row('{"op":"r","id":"a","after":{"id":"a"}}')).toMatchObject({
      kind: 'delivered',
      changes: [{ name: 'id', before: null }],
    })
  })

  it('of a newer release is refused', () => {
    expect(() => row('{"op":"x"}')).toThrow('the operation "x", which this release of Longshore does not')
    expect(() => row('{}')).toThrow('does not know')
  })
})

describe('finding a document', () => {
  const pages = [
    ['{"id":"a","n":1}', '{"id":"b"}'],
    ['{"id":7}', '{"id":"a","n":2}', '{"name":"without an id"}'],
    ['{"id":"\\u0063"}'],
  ]

  const folder = 'snapshots/CL/r/'
  const entriesOf = (lines: readonly string[]) =>
    lines.map((line) => {
      const id = JSON.stringify((JSON.parse(line) as { id?: unknown }).id ?? null)
      const idHash = createHash('sha256').update(id).digest().subarray(0, idHashBytes)
      return Buffer.concat([idHash, Buffer.alloc(entryBytes - idHashBytes)])
    })

  /** A snapshot of these pages, one of each attempt, with stored entries of the first `checked`. */
  function snapshot({ checked = pages.length, range = '', entries = entriesOf, listed = false } = {}) {
    const objects = new Map<string, Buffer>()
    const pageOf = (lines: readonly string[], index: number) => {
      const body = gzipSync(`${lines.join('\n')}\n`)
      const name = attemptName(range && `${range}${index}`, index + 1)
      const key = `${folder}${name}-p${String(index + 1).padStart(6, '0')}-u.ndjson.gz`
      objects.set(key, body)
      const sha256 = createHash('sha256').update(body).digest('hex')
      return { name, page: { key, documents: lines.length, bytes: body.length, sha256 } }
    }
    const items = pages.map(pageOf)
    for (const [index, { name, page }] of items.slice(0, checked).entries()) {
      const key = listed ? checkKey(folder, listedName, index + 1) : checkKey(folder, name, 1)
      const buffers = entries(pages[index] ?? [])
      const ofPage = { pages: [{ page, etag: '', withoutId: 0 }], entries: Buffer.concat(buffers) }
      objects.set(key, encodeCheckedPages(ofPage))
    }
    const read: string[] = []
    const manifest = {
      entity: 'CL',
      runId: 'r',
      idField: 'id',
      pages: items.map(({ page }) => page),
      ...(listed && { republishedFrom: 'q' }),
    } as unknown as Manifest
    const context = {
      read: async (key: string) => {
        if (key.endsWith('.gz')) read.push(key)
        return objects.get(key)
      },
      async *listObjects() {
        for (const key of objects.keys()) yield { key, etag: '' }
      },
    }
    return { find: (id: string) => findDocument(context, manifest, id), read, manifest, objects }
  }

  it('returns the last of several with the same id', async () => {
    const { find, read } = snapshot()
    const found = await find('a')
    expect([found?.position, String(found?.line)]).toEqual([{ page: 2, line: 1 }, '{"id":"a","n":2}'])
    expect(read.length).toBe(2)
  })

  it('reads only the page whose entries have the id', async () => {
    const { find, read } = snapshot()
    expect((await find('7'))?.position).toEqual({ page: 2, line: 0 })
    expect(read).toEqual([expect.stringContaining('p000002') as string])
  })

  it('knows an id in any spelling of its characters', async () =>
    expect((await snapshot().find('c'))?.position).toEqual({ page: 3, line: 0 }))

  it.each([
    ['a page that has no entries', { checked: 2 }, 2],
    ['every page of an older snapshot', { checked: 0 }, 3],
    ['one page of a range', { range: 'r' }, 1],
    ['one page of a snapshot that was published again', { listed: true }, 1],
    ['every page whose entries are damaged', { entries: () => [Buffer.alloc(1)] }, 3],
  ])('reads %s', async (_, given, count) => {
    const { find, read } = snapshot(given)
    expect((await find('7'))?.position).toEqual({ page: 2, line: 0 })
    expect(read.length).toBe(count)
  })

  it('reads a page that was replaced since its entries were stored', async () => {
    const { find, objects, manifest } = snapshot()
    const body = gzipSync('{"id":"new"}\n')
    const [page] = manifest.pages
    objects.set(page?.key ?? '', body)
    const sha256 = createHash('sha256').update(body).digest('hex')
    Object.assign(page ?? {}, { documents: 1, bytes: body.length, sha256 })
    expect((await find('new'))?.position).toEqual({ page: 1, line: 0 })
  })

  it('distinguishes the hash of an id from the same bytes at another position', async () => {
    const shifted = (lines: readonly string[]) => {
      const all = Buffer.concat(entriesOf(lines))
      return [all.subarray(-1), all.subarray(0, -1)]
    }
    const { find, read } = snapshot({ entries: shifted })
    expect([await find('7'), read.length]).toEqual([undefined, 0])
  })

  it('fails if a page is damaged', async () => {
    const { find, objects, manifest } = snapshot()
    const key = manifest.pages[1]?.key ?? ''
    objects.set(key, gzipSync('{"id":7}\n'))
    await expect(find('7')).rejects.toThrow(
      new RegExp(`^The stored data is damaged: ${key}: \\d+ bytes; .*\\.$`),
    )
  })

  it('finds nothing for an unknown id, without reading a page', async () => {
    const { find, read } = snapshot()
    expect([await find('z'), read.length]).toEqual([undefined, 0])
  })
})
