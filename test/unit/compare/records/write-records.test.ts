import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { DeliveredRules } from '../../../../functions/compare/records/delivered-rules.ts'
import { purposes, Selection } from '../../../../functions/compare/records/selection.ts'
import { writeRecords } from '../../../../functions/compare/records/write-records.ts'
import type { AbsenceEvidence } from '../../../../stored/chain/absence.ts'
import { PartWriter } from '../../../../stored/chain/part-writer.ts'
import { entryWords, lineWord, pageWord } from '../../../../stored/join/entries.ts'

/** Objects by their keys, each with its lines. */
const objects = {
  base0: ['{"id":"a"}', '{"id":"b","v":1}', '{"id":"c","v":1,"x":1}'],
  base1: ['{"id":"d","v":1}', '{"id":"e"}'],
  withheld: ['{"id":"w"}'],
  target0: ['{"id":"b","v":2}', '{"id":"c","x":2,"v":1}', '{"id":"w"}'],
  target1: ['{"id":"d","v":1}', '{"id":"n"}'],
}
type Key = keyof typeof objects

const bodies = new Map(Object.entries(objects).map(([key, lines]) => [key, gzipSync(lines.join('\n'))]))
const storedObject = (key: Key) => {
  const body = bodies.get(key) ?? Buffer.alloc(0)
  return { key, bytes: body.length, sha256: hash('sha256', body, 'hex') }
}
const place = (page: number, line: number) => {
  const entries = new Uint32Array(entryWords)
  entries[pageWord] = page
  entries[lineWord] = line
  return { entries, at: 0 }
}

const stored = { bytes: 0, sha256: '', documents: 1 }
/** Of two pages and a part whose document was absent once. */
const selectionOf = (absences: AbsenceEvidence['absences']) =>
  new Selection(
    [
      { ...stored, key: 'base0', from: 'snapshot' },
      { ...stored, key: 'base1', from: 'snapshot' },
      { ...stored, key: 'withheld', from: 'withheld', countedAbsences: 1 },
    ],
    { evidence: { absences, by: undefined }, delivered: undefined, reviewed: undefined },
  )

/** Writes what the documents above lead to. */
async function written(absences: AbsenceEvidence['absences'] = 'proven', delivered?: DeliveredRules) {
  const selection = selectionOf(absences)
  selection.onlyInBase(place(0, 0))
  selection.onlyInBase(place(1, 1))
  selection.onlyInTarget(place(1, 1))
  selection.pair(place(0, 1), place(0, 0))
  selection.pair(place(0, 2), place(0, 1))
  selection.pair(place(1, 0), place(1, 0))
  selection.pair(place(2, 0), place(0, 2))
  const lines = { records: [] as string[], uncounted: [] as string[], withheld: [] as string[] }
  const writer = (kind: keyof typeof lines) =>
    new PartWriter(async (body) => {
      lines[kind].push(...gunzipSync(body).toString().split('\n').slice(0, -1))
      return kind
    })
  const writers = {
    records: writer('records'),
    reviewed: writer('records'),
    withheld: {
      uncounted: writer('uncounted'),
      counted: writer('withheld'),
      delivered: writer('withheld'),
    },
  }
  const source = {
    // A copy, since the memory of what was read is freed.
    readObject: async (key: string) => Buffer.from(bodies.get(key) ?? ''),
    checkTime: () => undefined,
    damaged: (message: string) => new Error(message),
  }
  const counts = await writeRecords(
    {
      source,
      base: (['base0', 'base1', 'withheld'] as const).map(storedObject),
      target: (['target0', 'target1'] as const).map(storedObject),
      idField: 'id',
      ignore: ['x'],
      delivered,
    },
    selection,
    writers,
  )
  await writers.records.finish()
  for (const withheld of Object.values(writers.withheld)) await withheld.finish()
  return { ...lines, counts }
}

const updates = [
  '{"op":"u","id":"b","before":{"id":"b","v":1},"after":{"id":"b","v":2}}',
  '{"op":"u","id":"w","before":{"id":"w"},"after":{"id":"w"}}',
]
const creates = ['{"op":"c","id":"n","after":{"id":"n"}}']
const deletes = ['{"op":"d","id":"a","before":{"id":"a"}}', '{"op":"d","id":"e","before":{"id":"e"}}']
const counts = { created: 1, updated: 2, rewritten: 1, unchanged: 1, deleted: 2, withheld: 0 }
const all = { records: [...deletes, ...updates, ...creates], withheld: [] }

describe('the records of a change set', () => {
  it('are made of the pages', async () => {
    expect(await written()).toMatchObject({ ...all, counts })
  })

  it.each([
    ['repeatable', 'withheld', 'uncounted'],
    ['unknown', 'uncounted', 'withheld'],
  ] as const)('do not include documents whose absence is %s, which are %s', async (absences, own, other) => {
    expect(await written(absences)).toMatchObject({
      records: [...updates, ...creates],
      [own]: ['{"id":"a"}', '{"id":"e"}'],
      [other]: [],
      counts: { ...counts, deleted: 0, withheld: 2 },
    })
  })

  it('include a withheld document whose absence counted before, if it counts again', async () => {
    const selection = selectionOf('repeatable')
    selection.onlyInBase(place(2, 0))
    expect([...selection.base.sorted(3).ofPage(2)]).toEqual([{ line: 0, purpose: purposes.deleted }])
    expect(selection.deleted).toBe(1)
  })

  it('count for the audit of increments what was created and updated, but no withheld document that is back', async () => {
    const covered = { from: 1, to: 2 }
    const none = { versions: new Map(), windowEnds: new Map() }
    const rules = { protectedAfter: 0, lookbackMinutes: 60, covered, ...none }
    const { counts } = await written('proven', rules)
    expect([counts.created, counts.updated]).toEqual([1, 2])
    expect(counts.audit).toEqual({ missedByIncrements: 0, invisibleToIncrements: 2 })
  })
})
