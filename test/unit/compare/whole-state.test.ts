import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { StatePart } from '../../../functions/chain/state-parts.ts'
import { isSummable, readState } from '../../../functions/compare/whole-state.ts'
import { setManifestKey } from '../../../functions/state/changes/change-keys.ts'
import { runsToTry } from '../../case-count.ts'
import { ChangeSetTestbed } from './change-set-testbed.ts'

interface Document {
  readonly id: number | null
  readonly v: number
  readonly x: number
  readonly isReordered: boolean
}

const textOf = ({ id, v, x, isReordered }: Document) =>
  isReordered ? `{"x":${x}, "v":${v}, "id":${id}}` : `{"id":${id},"v":${v},"x":${x}}`
const keyOf = (one: Document) => (one.id === null ? textOf(one) : String(one.id))
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

function sumOf(texts: Iterable<string>): string {
  const sum = [...texts].reduce((total, text) => total + BigInt(`0x${sha256(text).slice(0, 32)}`), 0n)
  return (sum % (1n << 128n)).toString(16).padStart(32, '0')
}

/** The parts of a state: pages, withheld documents, and records of increments. */
function stored(parts: readonly (readonly Document[])[], records: readonly Document[]) {
  const objects = new Map<string, Buffer>()
  const put = (lines: readonly string[]) => {
    const key = `part-${objects.size}`
    const body = gzipSync(lines.map((line) => `${line}\n`).join(''))
    objects.set(key, body)
    return { key, documents: lines.length, bytes: body.length, sha256: sha256(body) }
  }
  const all: StatePart[] = [
    ...parts.map((documents) => ({ ...put(documents.map(textOf)), from: 'snapshot' as const })),
    {
      ...put(records.map((one) => `{"op":"r","id":${one.id},"after":${textOf(one)}}`)),
      from: 'increment' as const,
      holds: 'records' as const,
    },
  ]
  const source = {
    readObject: async (key: string) => objects.get(key),
    checkTime: () => undefined,
    damaged: (message: string) => new Error(message),
  }
  return { source, parts: all }
}

it('the state of parts has the last document with each id, whatever its bytes', async () => {
  const document = fc.record({
    id: fc.option(fc.nat(5)),
    v: fc.nat(2),
    x: fc.nat(2),
    isReordered: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(document)),
      fc.array(document),
      fc.boolean(),
      async (pages, records, ignoresX) => {
        const { source, parts } = stored(pages, records)
        const ignore = ignoresX ? ['x'] : []
        const state = new Map([...pages.flat(), ...records].map((one) => [keyOf(one), one]))
        const canonical = [...state.values()].map(({ id, v, x }) =>
          ignoresX ? `{"id":${id},"v":${v}}` : `{"id":${id},"v":${v},"x":${x}}`,
        )
        const expected = { stateDocuments: state.size, stateIdSum: sumOf(state.keys()) }
        const rules = { idField: 'id', ignore }
        expect(await readState(source, parts, { ...rules, isSummed: true })).toEqual({
          ...expected,
          stateContentSum: sumOf(canonical),
        })
        expect(await readState(source, parts, { ...rules, isSummed: false })).toEqual(expected)
      },
    ),
    { numRuns: runsToTry(50) },
  )
})

it.each([
  [[{ documents: 10_000_000, bytes: 1024 ** 3 }], true],
  [
    [
      { documents: 9_999_999, bytes: 1024 ** 3 },
      { documents: 1, bytes: 1024 ** 3 },
    ],
    true,
  ],
  [
    [
      { documents: 10_000_000, bytes: 1 },
      { documents: 1, bytes: 1 },
    ],
    false,
  ],
  [
    [
      { documents: 1, bytes: 2 * 1024 ** 3 },
      { documents: 1, bytes: 1 },
    ],
    false,
  ],
  [[], true],
])('the contents of %j can be added up in time: %j', (parts, expected) => {
  expect(isSummable(parts)).toBe(expected)
})

it('the sum of the contents is found again if the last full set lacks it', async () => {
  const testbed = new ChangeSetTestbed()
  const documents = (value: number) => [1, 2, 3].map((id) => `{"id":"${id}","v":${id === 2 ? value : 0}}`)
  const { manifest } = await testbed.next({ documents: documents(1) })
  const older = JSON.stringify({ ...manifest, stateContentSum: undefined })
  testbed.overwrite(setManifestKey('CL', manifest.runId), Buffer.from(older))
  // Two withheld documents belong to the state.
  const next = await testbed.next({ documents: documents(2).slice(1, 2), proof: 'no-total' })
  expect(next.withheld).toHaveLength(2)
  expect(next.manifest).toMatchObject({ stateContentSum: sumOf(documents(2)) })
})
