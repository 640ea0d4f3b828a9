import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { SetSummary } from '../../../stored/changes/changes-latest.ts'
import { setsSince } from '../../../stored/changes/sets-since.ts'
import type { Proof } from '../../../stored/run/proof.ts'
import type { Absences } from '../../../stored/run/split.ts'
import { ChangeSetTestbed, type ContextChange, type PublishedSet } from './change-set-testbed.ts'

/** A document as the generator knows it, so that the oracle needs no JSON. */
interface Document {
  readonly id: number | 'none'
  readonly value: number
  readonly ignored: number
  readonly spelling: 0 | 1 | 2
}

export interface Step {
  readonly documents: readonly Document[]
  readonly proof: Proof
  /** What absences from a snapshot by ranges mean. */
  readonly absences: Absences | undefined
  readonly settings: 'as before' | 'other query' | 'other ignore' | 'off for a while' | 'tip expired'
  readonly comparison: 'once' | 'twice' | 'concurrent' | 'crashing' | 'missed'
  readonly crashAt: number
  readonly acceptDeletes: boolean
}

const document: fc.Arbitrary<Document> = fc.record({
  id: fc.oneof({ weight: 30, arbitrary: fc.integer({ min: 0, max: 25 }) }, fc.constant('none' as const)),
  value: fc.integer({ min: 0, max: 1 }),
  ignored: fc.integer({ min: 0, max: 1 }),
  spelling: fc.constantFrom(0, 1, 2),
})

const rarely = <T>(usual: T, ...others: readonly T[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, fc.constantFrom(...others))

const step: fc.Arbitrary<Step> = fc.record({
  documents: fc.array(document, { maxLength: 40, size: 'max' }),
  proof: fc.constantFrom<Proof>('exact', 'exact', 'within-tolerance', 'no-total'),
  absences: fc.option(fc.constantFrom<Absences>('proven', 'proven', 'repeatable', 'unknown'), {
    nil: undefined,
  }),
  settings: rarely<Step['settings']>(
    'as before',
    'other query',
    'other ignore',
    'off for a while',
    'tip expired',
  ),
  comparison: fc.constantFrom<Step['comparison']>('once', 'twice', 'concurrent', 'crashing', 'missed'),
  crashAt: fc.integer({ min: 1, max: 6 }),
  acceptDeletes: fc.boolean(),
})

const hasDate = (id: Document['id']) => id !== 'none' && id % 2 === 0

function bytesOf({ id, value, ignored, spelling }: Document): string {
  if (id === 'none') return `{"v":${value},"x":${ignored}}`
  const created = hasDate(id) ? '"createdIn":"2024-01-01",' : ''
  return [
    `{${created}"id":"k${id}","v":${value},"x":${ignored}}`,
    `{ "x" : ${ignored}, "\\u0076":${value}, ${created}"id" : "\\u006b${id}"}`,
    `{"v":${value},${created}"id":"k${id}","x":${ignored}}`,
  ][spelling] as string
}

const rawIdOf = ({ id, spelling }: Document) =>
  id === 'none' ? 'null' : spelling === 1 ? `"\\u006b${id}"` : `"k${id}"`
const keyOf = (one: Document) => (one.id === 'none' ? bytesOf(one) : `"k${one.id}"`)
const hasSameContent = (one: Document, other: Document, ignore: boolean) =>
  one.value === other.value && (ignore || one.ignored === other.ignored)

type Documents = ReadonlyMap<string, Document>
const unique = (documents: readonly Document[]): Documents =>
  new Map(documents.map((one) => [keyOf(one), one]))

/** The state of a chain: what readers know after its last set. */
export interface State {
  readonly snapshot: Documents
  readonly withheld: Documents
  /** The withheld documents of which one absence counted. */
  readonly counted: ReadonlySet<string>
}

interface Expected extends State {
  readonly records: readonly string[]
  readonly deleted: number
}

const noChanges: Omit<Expected, 'snapshot'> = {
  withheld: new Map(),
  counted: new Set(),
  records: [],
  deleted: 0,
}

/** What the design promises, by maps of documents. */
function expectedChanges(
  base: State,
  target: Documents,
  rules: Pick<Step, 'proof' | 'absences'> & { readonly ignore: boolean },
): Expected {
  const records: string[] = []
  const counted = new Set<string>()
  const withheld = new Map<string, Document>()
  let deleted = 0
  for (const [key, after] of target) {
    const before = base.withheld.get(key) ?? base.snapshot.get(key)
    if (!before) records.push(`{"op":"c","id":${rawIdOf(after)},"after":${bytesOf(after)}}`)
    else if (base.withheld.has(key) || !hasSameContent(before, after, rules.ignore))
      records.push(`{"op":"u","id":${rawIdOf(after)},"before":${bytesOf(before)},"after":${bytesOf(after)}}`)
  }
  for (const [key, before] of [...base.snapshot, ...base.withheld]) {
    if (target.has(key)) continue
    const isProven = rules.absences
      ? rules.absences === 'proven' && hasDate(before.id)
      : rules.proof === 'exact'
    const counts = rules.absences !== 'unknown'
    if (isProven || (counts && base.counted.has(key))) {
      deleted++
      records.push(`{"op":"d","id":${rawIdOf(before)},"before":${bytesOf(before)}}`)
    } else {
      withheld.set(key, before)
      if (counts || base.counted.has(key)) counted.add(key)
    }
  }
  return { snapshot: target, withheld, counted, records: records.toSorted(), deleted }
}

/** A program that keeps the bytes of documents by id, and knows nothing but records. */
type Reader = Map<string, string>

interface ChangeRecord {
  readonly op: 'c' | 'u' | 'd'
  readonly id: string | null
}

function apply(reader: Reader, records: readonly string[]): void {
  for (const record of records) {
    const { op, id } = JSON.parse(record) as ChangeRecord
    const [, before = '', after = ''] =
      /^\{"op":"[cud]","id":(?:null|"[^"]*")(?:,"before":(\{.*?\}))?(?:,"after":(\{.*\}))?\}$/.exec(record) ??
      []
    const key = id === null ? after || before : JSON.stringify(id)
    if (op === 'd') reader.delete(key)
    else reader.set(key, after)
  }
}

function idSumOf(keys: Iterable<string>): string {
  const hashes = [...keys].map((key) =>
    BigInt(`0x${createHash('sha256').update(key).digest('hex').slice(0, 32)}`),
  )
  const sum = hashes.reduce((total, hash) => total + hash, 0n) % (1n << 128n)
  return sum.toString(16).padStart(32, '0')
}

/** The sum of what counts in these documents, which have no nested values. */
function contentSumOf(documents: Iterable<string>, ignore: boolean): string {
  return idSumOf(
    [...documents].map((text) => {
      const members = Object.entries(JSON.parse(text)).filter(([name]) => !ignore || name !== 'x')
      return JSON.stringify(Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1))))
    }),
  )
}

const stateOf = ({ snapshot, withheld }: Omit<State, 'counted'>) => new Map([...snapshot, ...withheld])
const readerOf = (state: Omit<State, 'counted'>): Reader =>
  new Map([...stateOf(state)].map(([key, one]) => [key, bytesOf(one)]))

/** Deletes the pages of the tip's snapshot, as a lifecycle rule of the bucket does, and then its manifest. */
function expire(testbed: ChangeSetTestbed): void {
  const tip = testbed.chain()?.tip ?? 'none'
  const pages = testbed.keys(`snapshots/CL/${tip}/a`)
  const manifest = testbed.keys(`snapshots/CL/${tip}/manifest`)
  for (const key of pages.length > 0 ? pages : manifest) testbed.s3.objects.delete(key)
}

/** Runs a comparison as the step does, until it ends. */
async function compare(
  { testbed, bug }: { testbed: ChangeSetTestbed; bug: PlantedBug },
  { comparison, crashAt, acceptDeletes }: Step,
) {
  const run = () => testbed.compare(acceptDeletes ? { acceptDeletes } : {}, bug.context)
  if (comparison === 'crashing') {
    let writes = 0
    testbed.s3.onWrite = () => {
      if (++writes === crashAt) throw new Error('The function crashed.')
    }
    await run().catch(() => undefined)
    testbed.s3.onWrite = undefined
  }
  if (comparison === 'concurrent') await Promise.all([run(), run()])
  if (comparison === 'twice') await run()
  return run()
}

/** A bug in the comparison or in a program that reads change sets. */
export interface PlantedBug {
  readonly context?: ContextChange
  /** The sets that a reader applies, of those that lead from its run to the tip. */
  readonly read?: (sets: readonly SetSummary[]) => readonly SetSummary[]
  /** The state that a reader begins with. */
  readonly begin?: (state: State) => Omit<State, 'counted'>
}

export const chainSteps = fc.array(step, { minLength: 2, maxLength: 8, size: 'max' })

/** Publishes and compares snapshots, and expects what the design promises after each set. */
export async function checkChain(steps: readonly Step[], bug: PlantedBug = {}): Promise<void> {
  const testbed = new ChangeSetTestbed()
  let ignore = false
  let query = {}
  let isBroken = true
  /** What counted at the tip. */
  let compared = { ignore, query }
  let state: State = { snapshot: new Map(), withheld: new Map(), counted: new Set() }
  /** Readers by the run at which they began, in the chain that continues. */
  let readers = new Map<string, Reader>()

  for (const current of steps) {
    const { documents, proof, absences, settings, comparison, acceptDeletes } = current
    if (settings === 'other query') query = { a: String(testbed.now) }
    if (settings === 'other ignore') ignore = !ignore
    testbed.changes = { ignore: ignore ? ['x'] : [], maxDeletePercent: 30, keepDays: 1000 }
    if (settings === 'off for a while' || settings === 'tip expired') isBroken = true
    if (settings === 'tip expired') expire(testbed)
    if (settings === 'off for a while') {
      const { changes } = testbed
      testbed.changes = false
      testbed.publish({ documents: [], query })
      await testbed.compare()
      testbed.changes = changes
    }
    testbed.publish({
      documents: documents.map(bytesOf),
      proof,
      ...(absences && { absences }),
      query,
      pageSize: 7,
    })
    if (comparison === 'missed') continue

    const before = testbed.chain()
    await compare({ testbed, bug }, current)
    const after = testbed.chain()
    const target = unique(documents)
    const mustReset = isBroken || compared.ignore !== ignore || compared.query !== query
    const expected = mustReset
      ? { ...noChanges, snapshot: target }
      : expectedChanges(state, target, { proof, absences, ignore })
    const baseCount = stateOf(state).size
    const isRefused =
      !mustReset && !acceptDeletes && expected.deleted > 10 && expected.deleted > 0.3 * baseCount
    expect(after?.tip === before?.tip).toBe(isRefused)
    if (isRefused) continue
    const tip = after?.tip ?? ''
    const set: PublishedSet = testbed.set(tip)
    expect(set.records.toSorted()).toEqual(expected.records)
    expect(set.withheld.toSorted()).toEqual([...expected.withheld.values()].map(bytesOf).toSorted())
    expect(set.manifest.kind).toBe(mustReset ? 'reset' : 'changes')
    expect(set.manifest.base).toBe(mustReset ? null : (before?.tip ?? null))

    const ids = set.records.map((record) => (JSON.parse(record) as ChangeRecord).id)
    const known = ids.filter((id) => id !== null)
    expect(new Set(known).size).toBe(known.length)

    if (mustReset) readers = new Map()
    state = expected
    const final = stateOf(state)
    readers.set(tip, readerOf(bug.begin ? bug.begin(state) : state))
    for (const [since, reader] of readers) {
      const sets = after ? (setsSince(after, since) ?? []) : []
      const resumed = new Map(reader)
      for (const { runId } of bug.read ? bug.read(sets) : sets) {
        const { records } = testbed.set(runId)
        apply(resumed, records)
        // Twice, as after a crash of the reader.
        apply(resumed, records)
      }
      expect([...resumed.keys()].toSorted()).toEqual([...final.keys()].toSorted())
      for (const [key, one] of final) {
        const bytes = resumed.get(key) ?? ''
        const spellings = ([0, 1, 2] as const).flatMap((spelling) =>
          [0, 1].map((ignored) => ({ ...one, spelling, ignored })),
        )
        const equal = spellings.filter((other) => hasSameContent(one, other, ignore)).map(bytesOf)
        expect(equal).toContain(bytes)
      }
      expect(resumed.size).toBe(set.manifest.stateDocuments)
      expect(idSumOf(resumed.keys())).toBe(set.manifest.stateIdSum)
      const stateContentSum = contentSumOf(resumed.values(), ignore)
      expect(set.manifest).toMatchObject({ stateContentSum })
    }
    isBroken = false
    compared = { ignore, query }
  }
}
