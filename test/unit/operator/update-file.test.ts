import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PendingChanges } from '../../../operator/changes/pending-changes.ts'
import { addRecords } from '../../../operator/changes/records.ts'
import { type UpdatedContent, writeState } from '../../../operator/changes/write-state.ts'
import { findSuperseded } from '../../../stored/chain/superseded.ts'
import { runsToTry } from '../../case-count.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const folder = temporaryFolder()

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
  readonly state: State
}

const linesOf = (texts: readonly string[]) => Buffer.from(texts.map((text) => `${text}\n`).join(''))

/** An update of these lines, which `read` reads. */
async function updateOf({ records, state }: Change, read: () => AsyncIterable<Buffer>) {
  const pending = new PendingChanges(folder)
  addRecords(pending, linesOf(records), idField)
  const pages = async function* () {
    for await (const text of read()) yield { index: 0, text }
  }
  const superseded = (await findSuperseded(pages(), 'id')).get(0)
  const progress: number[] = []
  const onProgress = (done: number) => void progress.push(done)
  return {
    update: { file: 'file', idField, superseded, pending, expected: expectedOf(state), onProgress },
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

describe('an update', () => {
  it('finds a document by its id, however the id is escaped', async () => {
    const after = '{"id":"\\u0061","n":2}'
    const records = [`{"op":"u","id":"\\u0061","before":{"id":"a"},"after":${after}}`]
    expect(await update(['{"id":"a"}'], { records, state: new Map([['"a"', after]]) })).toEqual([after])
  })

  it('writes added documents in pieces of a few megabytes', async () => {
    const read = async function* () {
      yield linesOf(['{"id":"a"}'])
    }
    const added = ['b', 'c', 'd'].map((id) => `{"id":"${id}","text":"${'x'.repeat(3 * 1024 * 1024)}"}`)
    const records = added.map((after) => `{"op":"c","id":"x","after":${after}}`)
    using known = await updateOf({ records, state: stateOf(['{"id":"a"}', ...added]) }, read)
    const pieces: number[] = []
    const write = async ({ length }: Buffer | string) => void pieces.push(length)
    await writeState(known.update, read(), { write })
    const line = linesOf(added.slice(0, 1)).length
    expect(pieces).toEqual([11, 2 * line, line])
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
      { numRuns: runsToTry(100) },
    )
  })
})
