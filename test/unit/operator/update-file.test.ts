import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PendingChanges } from '../../../operator/changes/pending-changes.ts'
import { addDocuments, addRecords } from '../../../operator/changes/records.ts'
import { supersededLines } from '../../../operator/changes/superseded-lines.ts'
import { UpdateMismatch, updateFile } from '../../../operator/changes/update-file.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const idField = Buffer.from('id')

/** The key by which the test knows a document: its id, or its text if it has none. */
function keyOf(document: string): string {
  const { id } = JSON.parse(document)
  return id === undefined || id === null || typeof id === 'object' ? document : JSON.stringify(id)
}

type State = Map<string, string>

function expectedOf(state: State) {
  const hashes = [...state.keys()].map((key) =>
    BigInt(`0x${createHash('sha256').update(key).digest('hex').slice(0, 32)}`),
  )
  const sum = hashes.reduce((total, hash) => total + hash, 0n) % (1n << 128n)
  return { stateDocuments: state.size, stateIdSum: sum.toString(16).padStart(32, '0') }
}

async function update(
  lines: readonly string[],
  {
    records,
    withheld = [],
    state,
  }: { records: readonly string[]; withheld?: readonly string[]; state: State },
): Promise<string[]> {
  const file = join(folder, 'file.ndjson')
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  using pending = new PendingChanges(folder)
  addRecords(pending, Buffer.from(records.map((record) => `${record}\n`).join('')), idField)
  addDocuments(pending, Buffer.from(withheld.map((document) => `${document}\n`).join('')), idField)
  let progress = 0
  const superseded = await supersededLines(file, { idField, documents: lines.length })
  const sha256 = await updateFile({
    file,
    idField,
    superseded,
    pending,
    expected: expectedOf(state),
    onProgress: (done) => {
      progress = done
    },
  })
  expect(progress).toBe(lines.length)
  const written = readFileSync(file)
  expect(sha256).toBe(createHash('sha256').update(written).digest('hex'))
  return written.length === 0 ? [] : written.toString().slice(0, -1).split('\n')
}

const stateOf = (lines: readonly string[]): State => new Map(lines.map((line) => [keyOf(line), line]))

describe('updateFile', () => {
  it('keeps the last of several lines with one id', async () => {
    const lines = ['{"id":"a","n":1}', '{"id":"b"}', '{"id":"a","n":2}']
    expect(await update(lines, { records: [], state: stateOf(lines) })).toEqual([
      '{"id":"b"}',
      '{"id":"a","n":2}',
    ])
  })

  it('finds a document by its id, however the id is escaped', async () => {
    const after = '{"id":"\\u0061","n":2}'
    const records = [`{"op":"u","id":"\\u0061","before":{"id":"a"},"after":${after}}`]
    expect(await update(['{"id":"a"}'], { records, state: new Map([['"a"', after]]) })).toEqual([after])
  })

  it('finds a document without an id by its bytes', async () => {
    const records = ['{"op":"d","id":null,"before":{"n":1}}', '{"op":"c","id":null,"after":{"n":3}}']
    const state = stateOf(['{"n":2}', '{"n":3}'])
    expect(await update(['{"n":1}', '{"n":2}'], { records, state })).toEqual(['{"n":2}', '{"n":3}'])
  })

  it('applies only the last of several records of a document', async () => {
    const created = '{"op":"c","id":"b","after":{"id":"b"}}'
    const deleted = (id: string) => `{"op":"d","id":"${id}","before":{"id":"${id}"}}`
    const records = [deleted('a'), '{"op":"c","id":"a","after":{"id":"a","n":2}}', created, deleted('b')]
    const state = stateOf(['{"id":"a","n":2}'])
    expect(await update(['{"id":"a"}'], { records, state })).toEqual(['{"id":"a","n":2}'])
  })

  it('finds lines that a later line replaces, also in several passes and none', async () => {
    const file = join(folder, 'repeated.ndjson')
    writeFileSync(file, '{"id":1}\n{"id":2}\n{"id":3}\n{"id":1}\n{"id":2}\n{"id":1}\n')
    for (const [documents, lines] of [
      [6, [0, 1, 3]],
      [2_500_000, [0, 1, 3]],
      [0, []],
    ] as const) {
      const found = await supersededLines(file, { idField, documents })
      expect(found).toEqual(new Set(lines))
    }
  })

  it('ignores the deletion of an unknown document', async () => {
    const records = ['{"op":"d","id":"x","before":{"id":"x"}}']
    expect(await update(['{"id":"a"}'], { records, state: stateOf(['{"id":"a"}']) })).toEqual(['{"id":"a"}'])
  })

  it('adds withheld documents, which no record mentions', async () => {
    const state = stateOf(['{"id":"a"}', '{"id":"w"}'])
    const result = await update(['{"id":"a"}'], { records: [], withheld: ['{"id":"w"}'], state })
    expect(result).toEqual(['{"id":"a"}', '{"id":"w"}'])
  })

  it('leaves the file unchanged if the ids differ although their number is right', async () => {
    const wrong = update(['{"id":"a"}'], { records: [], state: stateOf(['{"id":"b"}']) })
    await expect(wrong).rejects.toThrow(UpdateMismatch)
    expect(readFileSync(join(folder, 'file.ndjson'), 'utf8')).toBe('{"id":"a"}\n')
  })

  it('leads from any snapshot through any records to the state of a plain map', async () => {
    const id = fc.integer({ min: 0, max: 12 })
    const document = fc
      .record({ id, n: fc.integer({ min: 0, max: 5 }), named: fc.boolean() })
      .map(({ id: value, n, named }) => (named ? `{"n":${n},"id":"${value}"}` : `{"n":${n + 10 * value}}`))
    const change = fc.record({ document, isDelete: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(document), fc.array(change), async (lines, changes) => {
        const state = stateOf(lines)
        const records = changes.map(({ document: text, isDelete }) => {
          const key = keyOf(text)
          const recordId = JSON.stringify(JSON.parse(text).id ?? null)
          const before = state.get(key)
          if (isDelete) {
            state.delete(key)
            return `{"op":"d","id":${recordId},"before":${before ?? text}}`
          }
          state.set(key, text)
          return before
            ? `{"op":"u","id":${recordId},"before":${before},"after":${text}}`
            : `{"op":"c","id":${recordId},"after":${text}}`
        })
        const result = await update(lines, { records, state })
        expect(result.toSorted()).toEqual([...state.values()].toSorted())
      }),
      { numRuns: 20 },
    )
  })
})
