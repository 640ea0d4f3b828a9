import { isDeepStrictEqual } from 'node:util'
import { Damaged } from '../../functions/publisher/check/damage.ts'
import { checkObject } from '../../functions/publisher/check/page.ts'
import { hashNumber, shortHash, sumText } from '../../functions/publisher/check/set/canonical.ts'
import {
  indexDocuments,
  recordBytes,
  versionText,
} from '../../functions/publisher/check/set/record-entries.ts'
import { readRecord } from '../../functions/publisher/check/set/records.ts'
import { gunzip, linesOf, mapLines, readText } from '../../functions/publisher/check/stored-lines.ts'
import { checkSet } from '../../functions/publisher/check-set.ts'
import { incrementPartsOf, ownWithheldParts } from '../../stored/changes/chain-facts.ts'
import {
  changesPrefix,
  isCompactedPart,
  partKindOf,
  refusedChangesKey,
  runOfPart,
  setManifestKey,
} from '../../stored/changes/change-keys.ts'
import type {
  ChangePart,
  ChangesManifest,
  FullSetManifest,
  IncrementManifest,
  RefusedChanges,
  SetManifest,
} from '../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import { type NamedObject, runOfManifestKey, schemaChangesKey } from '../../stored/snapshots/manifest.ts'
import { tableFailureKey } from '../../stored/tables/table.ts'
import type { CheckedManifest } from './chain.ts'
import { type ExaminedFact, expectEqual, jsonIn, manifestIn } from './examination.ts'
import type { CountedSnapshot } from './snapshots.ts'
import type { VerifiedEntity } from './stored-entity.ts'

const neededBy = 'change-sets'
/** Of a version that an increment delivered. */
const deliveredBytes = 48

/** The versions of the records of an increment by the hashes of their ids, in Latin-1. Those of other sets are empty. */
type Versions = ReadonlyMap<string, string>

interface SetsToCheck {
  readonly checked: readonly CheckedManifest[]
  readonly snapshots: ReadonlyMap<string, CountedSnapshot>
}

/** Checks the objects of the sets, and whether each set leads from one state to the next. Returns how many objects there are. */
export async function checkSets(
  stored: VerifiedEntity,
  chain: ChangesLatest,
  { checked, snapshots }: SetsToCheck,
): Promise<number> {
  const sets = checked.map(({ set }) => set)
  const tip = chain.erased ? undefined : sets.find(({ runId }) => runId === chain.tip)
  const delivered = unique([chain.delivered ?? [], chain.deliveredBefore ?? []].flat())
  for (const object of delivered) {
    const check = (bytes: Buffer | undefined) =>
      expectEqual([['bytes', gunzip(checkObject(bytes, object)).length, object.versions * deliveredBytes]])
    await stored.examination.object({ ...object, neededBy, check })
  }
  const withheld = unique([...sets.flatMap(ownWithheldParts), ...(tip?.withheldParts ?? [])])
  for (const part of withheld) await checkPart(stored, part, countWithheld)
  // Erasure may have deleted the records of the tip when it left the list.
  const listed = chain.sets.length > 0 ? sets : []
  const own = new Set(listed.flatMap(({ parts }) => parts.map(({ key }) => key)))
  const older = tip ? incrementPartsOf(tip).filter(({ key }) => !own.has(key)) : []
  for (const part of older) await checkPart(stored, part, countLines)
  for (const [index, set] of sets.entries()) {
    const records = listed.length > 0 ? await countRecords(stored, set) : undefined
    const before = sets[index - 1]
    const base = before?.runId === set.base ? before : undefined
    await checkOne(stored, set, {
      base,
      records,
      snapshot: snapshots.get(runOfManifestKey(set.snapshot)),
      baseSnapshot: base && snapshots.get(runOfManifestKey(base.snapshot)),
      baseSha256: checked[index - 1]?.sha256,
    })
  }
  return withheld.length + own.size + older.length + delivered.length
}

const countLines = (text: Buffer) => [...linesOf(text)].length
const countWithheld = (text: Buffer) =>
  indexDocuments(text, { idField: '', by: undefined }).length / recordBytes

const unique = <T extends NamedObject>(objects: readonly T[]) => [
  ...new Map(objects.map((object) => [object.key, object])).values(),
]

/** What a look and a review read besides: a refused set, a table that failed, and changed fields. */
export async function checkReviews(stored: VerifiedEntity): Promise<void> {
  const { entity, examination, list, recorded } = stored
  for await (const { key } of list(changesPrefix(entity))) {
    if (key !== refusedChangesKey(entity, runOfPart(key))) continue
    const check = (bytes: Buffer | undefined) => manifestIn<RefusedChanges>(bytes, key, ['runId', 'reason'])
    const refused = await examination.object({ key, check, neededBy: 'review' })
    for (const part of refused?.reviewedParts ?? []) await checkPart(stored, part, countLines)
  }
  for (const key of [tableFailureKey(entity), schemaChangesKey(entity, recorded?.runId ?? '')])
    await examination.object({
      key,
      neededBy: 'review',
      check: (bytes) => bytes && jsonIn<{ runId: string }>(bytes, key, ['runId']),
    })
}

interface SetFacts {
  /** The set before it, if its manifest is intact. */
  readonly base: SetManifest | undefined
  /** Undefined if a part is damaged. */
  readonly records: Versions | undefined
  /** The chain's snapshot after and before the set. */
  readonly snapshot: CountedSnapshot | undefined
  readonly baseSnapshot: CountedSnapshot | undefined
  /** Of the manifest of the set before it. */
  readonly baseSha256: string | undefined
}

async function checkOne(
  stored: VerifiedEntity,
  { runId, parts }: SetManifest,
  facts: SetFacts,
): Promise<void> {
  const key = setManifestKey(stored.entity, runId)
  await stored.examination.object({
    key,
    neededBy,
    async check(bytes) {
      const set = jsonIn<SetManifest>(bytes, key, ['kind', 'parts'])
      // Of another version of the manifest, these are not the records.
      const records = isDeepStrictEqual(set.parts, parts) ? facts.records : undefined
      if (records && set.kind === 'increment') expectEqual(incrementFacts(set, records, facts.base))
      if (set.kind === 'changes') expectEqual(changesFacts(set))
      if (records && set.kind !== 'increment') await compareAgain(stored, set, facts)
    },
  })
}

/** An object that is what its entry says, with as many lines. */
async function checkPart(
  { entity, examination, onRead }: VerifiedEntity,
  part: ChangePart,
  countLines: (text: Buffer) => number,
): Promise<boolean> {
  const { key, sha256, records } = part
  const check = (bytes: Buffer | undefined) => {
    if (!key.startsWith(changesPrefix(entity))) throw new Damaged('is not in the folder of the entity')
    expectEqual([['lines', countLines(readText(checkObject(bytes, part))), records]])
    return true
  }
  onRead(records)
  const by = partKindOf(key) === 'reviewed' ? 'review' : neededBy
  return (await examination.object({ key, sha256, neededBy: by, check })) ?? false
}

async function countRecords(stored: VerifiedEntity, set: SetManifest): Promise<Versions | undefined> {
  const versions = new Map<string, string>()
  const isIncrement = set.kind === 'increment'
  const rules = { ops: isIncrement ? 'r' : 'cud', idField: set.idField }
  const end = isIncrement ? Date.parse(set.to) * 1000 : 0
  const ignored = new Set(set.ignore)
  let isWhole = true
  for (const part of set.parts)
    isWhole &&= await checkPart(stored, part, (text) => {
      const read = mapLines(text, (line) => {
        const { id, before, after } = readRecord(line, rules)
        const idHash = shortHash(id ?? (after ?? before)?.text ?? '')
        if (versions.has(idHash)) throw new Damaged('has an id that occurs twice')
        versions.set(idHash, isIncrement && after ? versionText(after, ignored, end) : '')
      })
      return read.length
    })
  return isWhole ? versions : undefined
}

/**
 * The publisher's check, with the chain as it was. What a person accepted, or what followed increments, depends on what is not
 * stored any more.
 */
async function compareAgain(
  stored: VerifiedEntity,
  set: FullSetManifest,
  { base, snapshot, baseSnapshot, baseSha256 }: SetFacts,
): Promise<void> {
  const isComparable = set.kind === 'reset' || (baseSnapshot?.count && set.missedByIncrements === undefined)
  if (!snapshot?.count || !isComparable || set.by || base?.kind === 'increment') return
  const { idField, ignore } = set
  const { query } = snapshot.manifest
  const reset = set.kind === 'reset' ? set.reason : null
  await checkSet(publisherOf(stored), {
    chain: { tip: set.base ?? '', sets: [], announced: true, reset, failures: null },
    // Sets of 1.0.0 do not have it.
    proposal: set.kind === 'reset' || !baseSha256 ? set : { baseSha256, ...set },
    rules: { idField, query, ignore, maxDeletePercent: Number.POSITIVE_INFINITY, increments: undefined },
    reviewed: undefined,
  })
}

/** Of a set that cannot be compared again, too. */
const changesFacts = ({ baseDocuments, withheld, held = 0, ...set }: ChangesManifest): ExaminedFact[] => [
  ['documents', baseDocuments - withheld - held, set.unchanged + set.rewritten + set.updated + set.deleted],
  ['stateDocuments', set.stateDocuments, baseDocuments + set.created - set.deleted],
  ['withheld documents', withheld + held, set.withheldParts.reduce((sum, part) => sum + part.records, 0)],
]

/** Everything else is what was proposed, as the hash of its manifest or its proposal shows, which erasure deletes. */
const incrementFacts = (set: IncrementManifest, versions: Versions, base?: SetManifest): ExaminedFact[] => [
  ['records', set.records, versions.size],
  ['recordsIdSum', set.recordsIdSum, set.recordsIdSum && sumOf([...versions.keys()])],
  ['recordsContentSum', set.recordsContentSum, set.recordsContentSum && sumOf([...versions.values()])],
  ['the snapshot', set.snapshot, (base ?? set).snapshot],
  ['all withheldParts', isDeepStrictEqual(set.withheldParts, (base ?? set).withheldParts), true],
  ['all incrementParts', isDeepStrictEqual(set.incrementParts, partsAfter(base, set)), true],
]

/** A compacted part replaces earlier ones. */
const partsAfter = (base: SetManifest | undefined, { parts, incrementParts: all }: IncrementManifest) =>
  !base || all.some(({ key }) => isCompactedPart(key)) ? all : [...incrementPartsOf(base), ...parts]

/** Of the hashes with which these texts begin. */
const sumOf = (texts: readonly string[]) =>
  sumText(texts.reduce((sum, text) => sum + hashNumber(text.slice(0, 16)), 0n))

/** The publisher's check with what an operator may read. What it would store stays in memory. */
function publisherOf({ bucket, examination, list }: VerifiedEntity): Parameters<typeof checkSet>[0] {
  const written = new Map<string, Buffer>()
  return {
    objects: {
      name: bucket,
      async read(key) {
        const bytes = written.get(key) ?? (await examination.read(key))
        return bytes && { bytes, etag: '' }
      },
      list,
      put: async (key, { body }) => void written.set(key, Buffer.from(body)),
      putIf: async () => false,
    },
    now: () => 0,
    endsAt: Number.POSITIVE_INFINITY,
  }
}
