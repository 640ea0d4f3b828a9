import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CannotUpdate } from '../../../operator/changes/cannot-update.ts'
import { PendingChanges } from '../../../operator/changes/pending-changes.ts'
import { addDocuments, addRecords } from '../../../operator/changes/records.ts'
import { updateFile } from '../../../operator/changes/update-file.ts'
import { wholeLines } from '../../../operator/changes/whole-lines.ts'
import { type UpdatedContent, writeState } from '../../../operator/changes/write-state.ts'
import { findSuperseded } from '../../../stored/chain/superseded.ts'
import { runsToTry } from '../../case-count.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const idField = Buffer.from('id')

/** The key of a document in this test: its id, or its text if it has none. */
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
  return { ignore: [], stateDocuments: state.size, stateIdSum: sum.toString(16).padStart(32, '0') }
}

interface Change {
  readonly records: readonly string[]
  readonly withheld?: readonly string[]
  readonly state: State
}

const linesOf = (texts: readonly string[]) => Buffer.from(texts.map((text) => `${text}\n`).join(''))
const file = () => join(folder, 'file.ndjson')

/** An update of these lines, which `read` reads. The caller adds where its result is written. */
async function updateOf({ records, withheld = [], state }: Change, read: () => AsyncIterable<Buffer>) {
  const pending = new PendingChanges(folder)
  addRecords(pending, linesOf(records), idField)
  addDocuments(pending, linesOf(withheld), idField)
  const pages = async function* () {
    for await (const text of read()) yield { index: 0, text }
  }
  const superseded = (await findSuperseded(pages(), 'id')).get(0)
  const progress: number[] = []
  const onProgress = (done: number) => void progress.push(done)
  return {
    update: { file: file(), idField, superseded, pending, expected: expectedOf(state), onProgress },
    progress,
    [Symbol.dispose]: () => pending[Symbol.dispose](),
  }
}

function textsOf(written: Buffer, { documents, sha256 }: UpdatedContent): string[] {
  expect(written.filter((byte) => byte === 0x0a)).toHaveLength(documents)
  expect(sha256).toBe(createHash('sha256').update(written).digest('hex'))
  return written.length === 0 ? [] : written.toString().slice(0, -1).split('\n')
}

async function update(lines: readonly string[], change: Change): Promise<string[]> {
  writeFileSync(file(), linesOf(lines))
  using known = await updateOf(change, () => wholeLines(file()))
  const content = await updateFile(known.update)
  expect(known.progress.at(-1) ?? 0).toBe(lines.length)
  return textsOf(readFileSync(file()), content)
}

/** The same without a file, which is much faster than to wait for the disk. */
async function updateInMemory(lines: readonly string[], change: Change): Promise<string[]> {
  const half = Math.floor(lines.length / 2)
  const read = async function* () {
    yield linesOf(lines.slice(0, half))
    yield linesOf(lines.slice(half))
  }
  using known = await updateOf(change, read)
  const written: Uint8Array[] = []
  const write = async (data: Buffer | string) => void written.push(Buffer.from(data))
  const content = await writeState(known.update, read(), { write })
  expect(known.progress).toEqual([half, lines.length])
  return textsOf(Buffer.concat(written), content)
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
    await expect(wrong).rejects.toThrow(
      new CannotUpdate(`The updated ${file()} would have other documents than the change set.`),
    )
    expect(readFileSync(file(), 'utf8')).toBe('{"id":"a"}\n')
  })

  it('accepts any state after an increment, which proves none', async () => {
    const read = async function* () {
      yield linesOf(['{"id":"a"}'])
    }
    const change = { records: ['{"op":"c","id":"b","after":{"id":"b"}}'], state: new Map() }
    using known = await updateOf(change, read)
    const expected = { stateDocuments: null, stateIdSum: null, ignore: [] }
    const { documents } = await writeState({ ...known.update, expected }, read(), {
      write: async () => undefined,
    })
    expect(documents).toBe(2)
  })

  it('writes added documents in pieces of a few megabytes', async () => {
    const read = async function* () {
      yield linesOf(['{"id":"a"}'])
    }
    const added = ['b', 'c', 'd'].map((id) => `{"id":"${id}","text":"${'x'.repeat(3 * 1024 * 1024)}"}`)
    const records = added.map((after) => `{"op":"c","id":"x","after":${after}}`)
    const state = stateOf(['{"id":"a"}', ...added])
    using known = await updateOf({ records, state }, read)
    const pieces: number[] = []
    const write = async ({ length }: Buffer | string) => void pieces.push(length)
    await writeState(known.update, read(), { write })
    const line = linesOf(added.slice(0, 1)).length
    expect(pieces).toEqual([11, 2 * line, line])
  })

  it('refuses another number of documents although the sum of their ids is right', async () => {
    const read = async function* () {
      yield linesOf(['{"id":"a"}'])
    }
    using known = await updateOf({ records: [], state: stateOf(['{"id":"a"}']) }, read)
    const expected = { ...known.update.expected, stateDocuments: 1200 }
    const written = writeState({ ...known.update, expected }, read(), { write: async () => undefined })
    await expect(written).rejects.toThrow('would have 1 document; the change set has 1,200.')
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
        const result = await updateInMemory(lines, { records, state })
        expect(result.toSorted()).toEqual([...state.values()].toSorted())
      }),
      { numRuns: runsToTry(100) },
    )
  })
})
