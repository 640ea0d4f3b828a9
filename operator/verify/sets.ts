import { isDeepStrictEqual } from 'node:util'
import { Damaged } from '../../functions/publisher/check/damage.ts'
import { checkObject } from '../../functions/publisher/check/page.ts'
import { hashNumber, shortHash, sumText } from '../../functions/publisher/check/set/canonical.ts'
import {
  deliveredAtOf,
  indexDocuments,
  recordBytes,
  versionText,
} from '../../functions/publisher/check/set/record-entries.ts'
import { readRecord } from '../../functions/publisher/check/set/records.ts'
import { gunzip, linesOf, mapLines, readText } from '../../functions/publisher/check/stored-lines.ts'
import { checkSet } from '../../functions/publisher/check-set.ts'
import { incrementPartsOf, ownWithheldParts } from '../../stored/changes/chain-facts.ts'
import { changesPrefix, isCompactedPart, setManifestKey } from '../../stored/changes/change-keys.ts'
import type {
  ChangePart,
  FullSetManifest,
  IncrementManifest,
  SetManifest,
} from '../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import { runOfManifestKey } from '../../stored/snapshots/manifest.ts'
import type { CheckedManifest } from './chain.ts'
import { type ExaminedFact, expectEqual, jsonIn } from './examination.ts'
import type { CountedSnapshot } from './snapshots.ts'
import type { VerifiedEntity } from './stored-entity.ts'

const neededBy = 'change-sets'

/** Versions by the hashes of their ids, in Latin-1. */
type Versions = ReadonlyMap<string, string>

interface CountedRecords {
  readonly ops: Readonly<Record<string, number>>
  /** By id; only of increments with a content. */
  readonly versions: Versions
}

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
  const delivered = await readDelivered(stored, chain)
  const withheld = unique([...sets.flatMap(ownWithheldParts), ...(tip?.withheldParts ?? [])])
  for (const part of withheld) await checkPart(stored, part, countWithheld)
  const own = new Set(sets.flatMap(({ parts }) => parts.map(({ key }) => key)))
  const older = tip ? incrementPartsOf(tip).filter(({ key }) => !own.has(key)) : []
  for (const part of older) await checkPart(stored, part, (text) => [...linesOf(text)].length)
  for (const [index, set] of sets.entries()) {
    const records = await countRecords(stored, set)
    const before = sets[index - 1]
    const base = before?.runId === set.base ? before : undefined
    await checkOne(stored, set, {
      base,
      records,
      chain,
      delivered,
      windowEnds: sets.flatMap((one) => (one.kind === 'increment' ? one.to : [])),
      snapshot: snapshots.get(runOfManifestKey(set.snapshot)),
      baseSnapshot: base && snapshots.get(runOfManifestKey(base.snapshot)),
      baseSha256: checked[index - 1]?.sha256,
    })
  }
  return withheld.length + own.size + older.length + delivered.size
}

const countWithheld = (text: Buffer) =>
  indexDocuments(text, { idField: '', by: undefined }).length / recordBytes

const unique = (parts: readonly ChangePart[]) => [...new Map(parts.map((part) => [part.key, part])).values()]

interface SetFacts {
  /** The set before it, if its manifest is intact. */
  readonly base: SetManifest | undefined
  /** Undefined if a part is damaged. */
  readonly records: CountedRecords | undefined
  readonly chain: ChangesLatest
  readonly delivered: ReadonlyMap<string, Versions>
  /** Of all increments. */
  readonly windowEnds: readonly string[]
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
      const known = { ...facts, records }
      expectEqual(set.kind === 'increment' ? incrementFacts(set, known) : fullFacts(set, known))
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
  return (await examination.object({ key, sha256, neededBy, check })) ?? false
}

async function countRecords(stored: VerifiedEntity, set: SetManifest): Promise<CountedRecords | undefined> {
  const counted = { ops: {} as Record<string, number>, versions: new Map<string, string>() }
  const isIncrement = set.kind === 'increment'
  const rules = { ops: isIncrement ? 'r' : 'cud', idField: set.idField }
  const end = isIncrement ? Date.parse(set.to) * 1000 : 0
  const ignored = new Set(set.ignore)
  let isWhole = true
  for (const part of set.parts)
    isWhole &&= await checkPart(stored, part, (text) => {
      const read = mapLines(text, (line) => {
        const { op, id, before, after } = readRecord(line, rules)
        const idHash = shortHash(id ?? (after ?? before)?.text ?? '')
        if (counted.versions.has(idHash)) throw new Damaged('has an id that occurs twice')
        counted.versions.set(idHash, isIncrement && after ? versionText(after, ignored, end) : '')
        counted.ops[op] = (counted.ops[op] ?? 0) + 1
      })
      return read.length
    })
  return isWhole ? counted : undefined
}

const versionForm = /.{48}/gs

/** What increments have delivered, by the keys of the objects that have it. */
async function readDelivered(
  { examination }: VerifiedEntity,
  { delivered, deliveredBefore }: ChangesLatest,
): Promise<ReadonlyMap<string, Versions>> {
  const found = new Map<string, Versions>()
  for (const object of [delivered, deliveredBefore]) {
    if (!object || found.has(object.key)) continue
    const check = (bytes: Buffer | undefined) => {
      const entries = gunzip(checkObject(bytes, object)).toString('latin1').match(versionForm) ?? []
      expectEqual([['versions', entries.length, object.versions]])
      return new Map(entries.map((entry) => [entry.slice(0, 16), entry.slice(16)]))
    }
    const versions = await examination.object({ ...object, check, neededBy })
    if (versions) found.set(object.key, versions)
  }
  return found
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

function fullFacts(set: FullSetManifest, { records, snapshot }: SetFacts): ExaminedFact[] {
  const known: ExaminedFact[] =
    snapshot && set.snapshotSha256 ? [['snapshotSha256', set.snapshotSha256, snapshot.sha256]] : []
  if (set.kind === 'reset') return known
  const { created, updated, deleted, withheld, held = 0, unchanged, rewritten, baseDocuments } = set
  const ofSet: ExaminedFact[] = [
    ['baseDocuments', baseDocuments, unchanged + rewritten + updated + deleted + withheld + held],
    ['stateDocuments', set.stateDocuments, baseDocuments + created - deleted],
    ['withheld documents', withheld + held, set.withheldParts.reduce((sum, part) => sum + part.records, 0)],
  ]
  const ofSnapshot = unchanged + rewritten + updated + created + held
  if (snapshot) ofSet.push(['documents of the snapshot', ofSnapshot, snapshot.manifest.uniqueIds])
  const ops = Object.entries({ c: created, u: updated, d: deleted })
  const ofRecords: ExaminedFact[] = records
    ? ops.map(([op, count]) => [`records with ${op}`, count, records.ops[op] ?? 0])
    : []
  return [...known, ...ofSet, ...ofRecords]
}

/** Window, sums and parts of an increment, and what it remembers of them. */
function incrementFacts(
  set: IncrementManifest,
  { base, records, chain, delivered, windowEnds }: SetFacts,
): ExaminedFact[] {
  const { parts, incrementParts, to, recordsIdSum, recordsContentSum } = set
  const allParts = isCompacted(set) || !base ? incrementParts : [...incrementPartsOf(base), ...parts]
  const ofBase: ExaminedFact[] = base
    ? [
        ['snapshot', set.snapshot, base.snapshot],
        ['withheldParts', json(set.withheldParts), json(base.withheldParts)],
        ['the end of its window before the last one', base.kind === 'increment' && to < base.to, false],
        ['incrementParts', json(incrementParts), json(allParts)],
      ]
    : []
  const ofChain: ExaminedFact[] = [
    ['the end of its window after the last one', to > (chain.window?.to ?? to), false],
  ]
  if (!records) return [...ofBase, ...ofChain]
  const remembered = [...(delivered.get(set.delivered.key) ?? [])]
  // Another window may have ended in the same second.
  const isOnly = windowEnds.filter((other) => other === to).length === 1
  const own = remembered.filter(([, version]) => isOnly && deliveredAtOf(version) === Date.parse(to) * 1000)
  const others = own.filter(([id, version]) => records.versions.get(id) !== version)
  return [
    ...ofBase,
    ...ofChain,
    ['records', set.records, records.versions.size],
    ['recordsIdSum', recordsIdSum, recordsIdSum && sumOf([...records.versions.keys()])],
    ['recordsContentSum', recordsContentSum, recordsContentSum && sumOf([...records.versions.values()])],
    ['versions that it remembers and no record has', others.length, 0],
  ]
}

/** Of the hashes with which these texts begin. */
const sumOf = (texts: readonly string[]) =>
  sumText(texts.reduce((sum, text) => sum + hashNumber(text.slice(0, 16)), 0n))

const json = (value: unknown) => JSON.stringify(value)
const isCompacted = ({ incrementParts }: IncrementManifest) =>
  incrementParts.some(({ key }) => isCompactedPart(key))

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
