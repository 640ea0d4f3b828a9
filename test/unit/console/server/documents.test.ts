import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { documentRow, recordRow } from '../../../../console/server/document-views/values.ts'
import { fingerprintBytes, writeFingerprint } from '../../../../functions/documents/fingerprint.ts'
import type { Manifest } from '../../../../functions/state/snapshots/manifest.ts'
import { findDocument } from '../../../../operator/history/find-document.ts'

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

  it('may have no id', () => {
    expect(documentRow({ line: Buffer.from('{"id":null}'), idField: 'id', path: '' }, 'whole').id).toBeNull()
  })
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

  /** A snapshot of these pages, whose fingerprints are known for the first `committed`. */
  function snapshot(committed = pages.length, range = '') {
    const objects = new Map<string, Buffer>()
    const items = pages.map((lines, index) => {
      const body = gzipSync(`${lines.join('\n')}\n`)
      const key = `snapshots/CL/r/${range && `${range}${index}-`}a${index + 1}-p${String(index + 1).padStart(6, '0')}-u.ndjson.gz`
      objects.set(key, body)
      const sha256 = createHash('sha256').update(body).digest('hex')
      const ids = lines.map((line) => JSON.stringify((JSON.parse(line) as { id?: unknown }).id ?? null))
      const fingerprints = Buffer.alloc(ids.length * fingerprintBytes)
      for (const [at, id] of ids.entries()) {
        writeFingerprint(Buffer.from(id), fingerprints, at * fingerprintBytes)
      }
      return { key, documents: lines.length, bytes: body.length, sha256, fingerprints }
    })
    const read: string[] = []
    const attempts: object[] = []
    const manifest = { entity: 'CL', runId: 'r', idField: 'id', pages: items } as unknown as Manifest
    const context = {
      state: {
        async *pages(attempt: { attempt: number }) {
          attempts.push(attempt)
          yield* items.slice(0, committed).filter((_, index) => index + 1 === attempt.attempt)
          yield { ...items[0], key: 'snapshots/CL/r/a1-p000009-u.ndjson.gz' }
        },
      },
      read: async (key: string) => {
        read.push(key)
        return objects.get(key)
      },
    } as unknown as Parameters<typeof findDocument>[0]
    return { find: (id: string) => findDocument(context, manifest, id), read, attempts, items, objects }
  }

  it('returns the last of several with the same id', async () => {
    const { find, read } = snapshot()
    const found = await find('a')
    expect([found?.position, String(found?.line)]).toEqual([{ page: 2, line: 1 }, '{"id":"a","n":2}'])
    expect(read.length).toBe(2)
  })

  it('reads only the page that the fingerprints name', async () => {
    const { find, read } = snapshot()
    expect((await find('7'))?.position).toEqual({ page: 2, line: 0 })
    expect(read).toEqual([expect.stringContaining('p000002') as string])
  })

  it('knows an id in any spelling of its characters', async () => {
    expect((await snapshot().find('c'))?.position).toEqual({ page: 3, line: 0 })
  })

  it('reads every page when page items have expired', async () => {
    const { find, read } = snapshot(1)
    expect((await find('7'))?.position).toEqual({ page: 2, line: 0 })
    expect(read.length).toBe(3)
  })

  it('asks for the pages of each attempt of each range', async () => {
    const plain = snapshot()
    await plain.find('a')
    expect(plain.attempts).toEqual([1, 2, 3].map((attempt) => ({ runId: 'r', attempt })))
    const ranged = snapshot(pages.length, 'r')
    expect((await ranged.find('7'))?.position).toEqual({ page: 2, line: 0 })
    expect(ranged.attempts).toEqual([1, 2, 3].map((attempt) => ({ runId: 'r', attempt, range: attempt - 1 })))
    expect(ranged.read.length).toBe(1)
  })

  it('distinguishes the fingerprint of an id from the same bytes at another position', async () => {
    const { find, read, items } = snapshot()
    const [first] = items
    const fingerprint = Buffer.from(first?.fingerprints.subarray(0, fingerprintBytes) ?? [])
    const shifted = Buffer.concat([Buffer.alloc(1), fingerprint, Buffer.alloc(fingerprintBytes - 1)])
    first?.fingerprints.set(shifted)
    await find('a')
    expect(read).toEqual([expect.stringContaining('p000002') as string])
    read.length = 0
    Object.assign(first ?? {}, { fingerprints: Buffer.concat([shifted, fingerprint]) })
    await find('a')
    expect(read.length).toBe(2)
  })

  it('fails if a page is damaged', async () => {
    const { find, objects, items } = snapshot()
    const key = items[1]?.key ?? ''
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
