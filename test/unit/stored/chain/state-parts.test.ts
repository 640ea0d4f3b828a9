import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { appliedParts, stateParts } from '../../../../stored/chain/state-parts.ts'
import type { ChangePart, SetManifest } from '../../../../stored/changes/changes.ts'
import { runsToTry } from '../../../case-count.ts'

const stored = (key: string, records = 1) => ({ key, records, bytes: 0, sha256: '' })
const page = { key: 'page', documents: 2, bytes: 0, sha256: '' }
const withheldPart = { ...stored('withheld'), countedAbsences: 1 as const, delivered: true as const }

it('the state of a chain is its snapshot, what is withheld, and what increments delivered since', () => {
  const set = { withheldParts: [withheldPart], incrementParts: [stored('i1'), stored('i2', 3)] }
  const object = { bytes: 0, sha256: '' }
  expect(stateParts({ pages: [page] }, set)).toEqual([
    { ...page, from: 'snapshot' },
    { ...object, key: 'withheld', documents: 1, from: 'withheld', countedAbsences: 1, delivered: true },
    { ...object, key: 'i1', documents: 1, from: 'increment', holds: 'records' },
    { ...object, key: 'i2', documents: 3, from: 'increment', holds: 'records' },
  ])
  expect(stateParts({ pages: [] }, { withheldParts: [] })).toEqual([])
})

/** Versions of documents by their ids. */
type Versions = ReadonlyMap<number, number>

interface Set {
  readonly manifest: SetManifest
  /** After the set; the snapshot only of a full one. */
  readonly state: Versions
  readonly snapshot: Versions | undefined
}

const ids = [0, 1, 2, 3]
/** For each id: whether a set has it, withholds it, or increments deliver it. */
const choice = fc.record({ isPresent: fc.boolean(), isKept: fc.boolean(), isChanged: fc.boolean() })
const step = fc.record({
  kind: fc.constantFrom('changes', 'increment', 'increment'),
  choices: fc.tuple(choice, choice, choice, choice),
})

/** Publishes sets as the contract describes them. `contents` has what each part contains. */
function chainOf(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) {
  const contents = new Map<string, Map<number, number | 'deleted'>>()
  const put = (key: string, content: Map<number, number | 'deleted'>) => {
    contents.set(key, content)
    return stored(key)
  }
  const first = new Map(ids.map((id) => [id, -1]))
  const sets: Set[] = [
    {
      manifest: { runId: 'r0', kind: 'reset', parts: [], withheldParts: [] } as unknown as SetManifest,
      state: first,
      snapshot: first,
    },
  ]
  let incrementParts: ChangePart[] = []
  for (const [at, { kind, choices }] of steps.entries()) {
    const { state: base, manifest: last } = sets.at(-1) as Set
    const state = new Map(base)
    const records = new Map<number, number | 'deleted'>()
    const change = (id: number, version: number | 'deleted') => {
      records.set(id, version)
      if (version === 'deleted') state.delete(id)
      else state.set(id, version)
    }
    const runId = `r${at + 1}`
    if (kind === 'increment') {
      for (const id of ids) if (choices[id]?.isChanged) change(id, at)
      const parts = [put(`${runId} records`, records)]
      incrementParts = [...incrementParts, ...parts]
      const { withheldParts } = last
      const manifest = { runId, kind, parts, withheldParts, incrementParts } as unknown as SetManifest
      sets.push({ manifest, state, snapshot: undefined })
      continue
    }
    const [part] = last.withheldParts
    const wasWithheld = contents.get(part?.key ?? '') ?? new Map()
    const snapshot = new Map<number, number>()
    const withheld = new Map<number, number>()
    for (const id of ids) {
      const { isPresent, isKept, isChanged } = choices[id] as (typeof choices)[0]
      const before = base.get(id)
      if (isPresent) snapshot.set(id, isChanged ? at : (before ?? at))
      // Withheld, or held in place of an older version.
      if (before !== undefined && isKept && (!isPresent || isChanged)) withheld.set(id, before)
      // A document that was withheld and is back is a record, changed or not.
      else if (isPresent && (snapshot.get(id) !== before || wasWithheld.has(id)))
        change(id, snapshot.get(id) ?? at)
      else if (!isPresent && before !== undefined) change(id, 'deleted')
    }
    incrementParts = []
    const parts = [put(`${runId} records`, records)]
    const withheldParts = [put(`${runId} withheld`, withheld)]
    sets.push({ manifest: { runId, kind, parts, withheldParts } as unknown as SetManifest, state, snapshot })
  }
  return { sets, contents }
}

describe('what a reader applies', () => {
  it('leads from any snapshot or state to the state of the tip', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { sets, contents } = chainOf(steps)
        const { manifest: last, state } = sets.at(-1) as Set
        const chainSnapshot = sets.findLast(({ snapshot }) => snapshot)
        for (const [since, { state: had, snapshot }] of sets.entries()) {
          const begins = sets[since] === chainSnapshot ? 'at its snapshot' : 'elsewhere'
          const parts = await appliedParts(
            { sets: sets.slice(since + 1).map(({ manifest }) => manifest as never), last, begins },
            async (runId) => (sets.find(({ manifest }) => manifest.runId === runId) as Set).manifest,
          )
          // A file of a full set may be its snapshot.
          for (const start of snapshot ? [had, snapshot] : [had]) {
            const reader = new Map(start)
            for (const { key } of parts)
              for (const [id, version] of contents.get(key) ?? []) {
                if (version === 'deleted') reader.delete(id)
                else reader.set(id, version)
              }
            expect(reader).toEqual(state)
          }
        }
      }),
      { numRuns: runsToTry(200) },
    )
  })

  it('does not include what the file of an increment has already', async () => {
    const set = (kind: string, runId: string, extra = {}) =>
      ({
        kind,
        runId,
        parts: [stored(runId)],
        withheldParts: [withheldPart],
        ...extra,
      }) as unknown as SetManifest
    const sets = [set('increment', 'i2'), set('increment', 'i3')]
    const last = set('increment', 'i3', { incrementParts: [stored('i1'), stored('i2'), stored('i3')] })
    const keys = async (begins: 'at its snapshot' | 'elsewhere') =>
      (
        await appliedParts(
          { sets: sets as never, last, begins },
          async (runId) => sets.find((one) => one.runId === runId) as SetManifest,
        )
      ).map(({ key }) => key)
    expect(await keys('elsewhere')).toEqual(['i2', 'i3'])
    expect(await keys('at its snapshot')).toEqual(['withheld', 'i1', 'i2', 'i3'])
  })
})
