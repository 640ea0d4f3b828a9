import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { canonicalDocument } from '../../functions/chain/canonical.ts'
import { type DeliveredById, decodeVersions, hashNumber } from '../../functions/chain/delivered-versions.ts'
import { Damaged } from '../../functions/publisher/check/damage.ts'
import { idSumText } from '../../functions/publisher/check/evidence.ts'
import { readLines } from '../../functions/publisher/check/stored-lines.ts'
import { changesPrefix, isCompactedPart, setManifestKey } from '../../functions/state/changes/change-keys.ts'
import {
  type ChangePart,
  type ChangesManifest,
  type IncrementManifest,
  incrementPartsOf,
  ownWithheldParts,
  type SetManifest,
} from '../../functions/state/changes/changes.ts'
import type { ChangesLatest } from '../../functions/state/changes/changes-latest.ts'
import { runOfManifestKey } from '../../functions/state/snapshots/manifest.ts'
import type { CheckedManifest } from './chain.ts'
import { existing, expectEqual, jsonOf } from './examination.ts'
import { recordsOf, shortHash } from './records.ts'
import type { CountedSnapshot } from './snapshots.ts'
import type { StoredEntity } from './stored-entity.ts'

const neededBy = 'change-sets'

/** What the records of a set were counted to be. Ids and contents are hashes in Latin-1. */
interface CountedRecords {
  readonly ops: Record<string, number>
  readonly idSums: Record<string, bigint>
  /** Of `after`, by id. */
  readonly contents: Map<string, string>
  readonly contentChange: bigint
}

/** Checks the objects of the sets, and whether the sets lead from one state to the next. Returns how many objects there are. */
export async function checkSets(
  stored: StoredEntity,
  chain: ChangesLatest,
  {
    checked,
    snapshots,
  }: {
    readonly checked: readonly CheckedManifest[]
    readonly snapshots: ReadonlyMap<string, CountedSnapshot>
  },
): Promise<number> {
  const delivered = await checkDelivered(stored, chain)
  const tip = checked.find(({ set }) => set.runId === chain.tip && !chain.erased)?.set
  const overlays = new Map(
    [...checked.flatMap(({ set }) => ownWithheldParts(set)), ...(tip?.withheldParts ?? [])].map((part) => [
      part.key,
      part,
    ]),
  )
  for (const part of overlays.values())
    await checkPart(stored, part, (bytes) => readLines(bytes, 'id').documents)
  const counted = new Map<string, CountedRecords | undefined>()
  for (const { set } of checked) counted.set(set.runId, await countRecords(stored, set))
  const own = new Set(checked.flatMap(({ set }) => set.parts.map(({ key }) => key)))
  const others = (tip ? incrementPartsOf(tip) : []).filter(({ key }) => !own.has(key))
  for (const part of others)
    await checkPart(
      stored,
      part,
      (bytes) => recordsOf(gunzipSync(bytes), { kind: 'increment', idField: tip?.idField ?? '' }).length,
    )
  const windowEnds = checked.flatMap(({ set }) => (set.kind === 'increment' ? set.to : []))
  for (const [index, { set }] of checked.entries()) {
    const records = counted.get(set.runId)
    const before = checked[index - 1]?.set
    const base = before?.runId === set.base ? before : undefined
    const facts = {
      base,
      records,
      snapshot: snapshots.get(runOfManifestKey(set.snapshot)),
      chain,
      delivered,
      windowEnds,
    }
    const key = setManifestKey(stored.entity, set.runId)
    const check = (bytes: Buffer | undefined) => {
      const found = jsonOf<SetManifest>(bytes, key, ['kind', 'parts'])
      // Of another version of the manifest, these are not the records.
      const isOf = isDeepStrictEqual(found.parts, set.parts)
      const [first] = problemsOf(found, { ...facts, records: isOf ? records : undefined })
      if (first !== undefined) throw new Damaged(first)
    }
    await stored.examination.object({ key, neededBy, check })
  }
  return overlays.size + own.size + others.length + delivered.size
}

/** What increments have delivered, by the keys of the objects that the next comparison and increment need. */
async function checkDelivered(
  { examination }: StoredEntity,
  { delivered, deliveredBefore }: ChangesLatest,
): Promise<ReadonlyMap<string, DeliveredById>> {
  const found = new Map<string, DeliveredById>()
  for (const object of [delivered, deliveredBefore])
    if (object && !found.has(object.key)) {
      const check = (bytes: Buffer | undefined) => {
        expectEqual([['the SHA-256', hash('sha256', existing(bytes)), object.sha256]])
        return decodeVersions(gunzipSync(existing(bytes)))
      }
      const versions = await examination.object({ ...object, check, neededBy })
      if (versions) found.set(object.key, versions)
    }
  return found
}

/** An object that is what its entry says. */
async function checkPart<T>(
  { entity, examination, onRead }: StoredEntity,
  { key, sha256, bytes: size, records }: ChangePart,
  read: (bytes: Buffer) => T,
): Promise<T | undefined> {
  const check = (bytes: Buffer | undefined) => {
    const body = existing(bytes)
    expectEqual([
      ['bytes', body.length, size],
      ['the SHA-256', hash('sha256', body), sha256],
      ['the folder', key.startsWith(changesPrefix(entity)), true],
    ])
    const found = read(body)
    const count = typeof found === 'number' ? found : (found as readonly unknown[]).length
    expectEqual([['lines', count, records]])
    return found
  }
  onRead(records)
  return examination.object({ key, sha256, neededBy, check })
}

/** Undefined if a part is damaged. */
async function countRecords(stored: StoredEntity, set: SetManifest): Promise<CountedRecords | undefined> {
  const ignored = new Set(set.ignore)
  const counted = {
    ops: {} as Record<string, number>,
    idSums: {} as Record<string, bigint>,
    contents: new Map<string, string>(),
    contentChange: 0n,
  }
  const contentOf = (document: string) => shortHash(canonicalDocument(Buffer.from(document), ignored))
  let isWhole = true
  for (const part of set.parts) {
    const records = await checkPart(stored, part, (bytes) => recordsOf(gunzipSync(bytes), set))
    if (!records) isWhole = false
    for (const { op, idHash, before, after } of records ?? []) {
      const content = after === undefined ? '' : contentOf(after)
      if (counted.contents.has(idHash)) isWhole = repeated(stored, set, part)
      counted.contents.set(idHash, content)
      counted.ops[op] = (counted.ops[op] ?? 0) + 1
      counted.idSums[op] = (counted.idSums[op] ?? 0n) + hashNumber(idHash)
      if (after !== undefined) counted.contentChange += hashNumber(content)
      if (before !== undefined) counted.contentChange -= hashNumber(contentOf(before))
    }
  }
  return isWhole ? counted : undefined
}

function repeated({ examination }: StoredEntity, { runId }: SetManifest, { key }: ChangePart): false {
  examination.wrong({ key, problem: `has two records of one id in the set of ${runId}`, neededBy })
  return false
}

interface SetFacts {
  /** The set before it, if its manifest is intact. */
  readonly base: SetManifest | undefined
  readonly records: CountedRecords | undefined
  /** The chain's snapshot, if its manifest is stored and intact. */
  readonly snapshot: CountedSnapshot | undefined
  readonly chain: ChangesLatest
  readonly delivered: ReadonlyMap<string, DeliveredById>
  /** Of all increments. */
  readonly windowEnds: readonly string[]
}

function problemsOf(set: SetManifest, facts: SetFacts): string[] {
  const { base, snapshot } = facts
  const own = set.kind === 'increment' ? incrementFacts(set, facts) : fullFacts(set, facts)
  const all: readonly Fact[] = [
    ...own,
    ...(snapshot && set.snapshotSha256
      ? [['the SHA-256 of its snapshot', set.snapshotSha256, snapshot.sha256] as const]
      : []),
    ...(base && set.kind === 'increment' ? [['the snapshot', set.snapshot, base.snapshot] as const] : []),
  ]
  return all.flatMap(([what, found, expected]) =>
    isDeepStrictEqual(found, expected)
      ? []
      : [`has ${what}: ${shown(found)}; it should be ${shown(expected)}`],
  )
}

type Fact = readonly [what: string, found: unknown, expected: unknown]
const shown = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
const sum = (text: string | null | undefined) => BigInt(`0x${text ?? 0}`)

/** The equations of a full set (design of change sets, "Proof"). */
function fullFacts(
  set: Exclude<SetManifest, IncrementManifest>,
  { base, records, snapshot }: SetFacts,
): Fact[] {
  const ofSnapshot: Fact[] =
    set.kind === 'reset' && snapshot?.count
      ? [
          ['documents', set.stateDocuments, snapshot.count.uniqueIds],
          ['the sum of ids', set.stateIdSum, idSumText(snapshot.count.idSum)],
        ]
      : []
  if (set.kind === 'reset') return ofSnapshot
  const {
    created,
    updated,
    deleted,
    withheld,
    held = 0,
    unchanged,
    rewritten,
    baseDocuments,
    stateDocuments,
  } = set
  const known = base?.kind === 'increment' ? undefined : base
  return [
    [
      'documents before and their changes',
      baseDocuments,
      unchanged + rewritten + updated + deleted + withheld + held,
    ],
    ['documents after', stateDocuments, baseDocuments + created - deleted],
    [
      'withheld documents',
      withheld + held,
      set.withheldParts.reduce((total, part) => total + part.records, 0),
    ],
    ...(snapshot
      ? ([
          [
            'documents of the snapshot',
            unchanged + rewritten + updated + created + held,
            snapshot.manifest.uniqueIds,
          ],
        ] as const)
      : []),
    ...(known ? ([['documents before', baseDocuments, known.stateDocuments]] as const) : []),
    ...(records ? recordFacts(set, records, known) : []),
  ]
}

function recordFacts(
  { created, updated, deleted, stateIdSum, stateContentSum }: ChangesManifest,
  { ops, idSums, contentChange }: CountedRecords,
  base: Exclude<SetManifest, IncrementManifest> | undefined,
): Fact[] {
  const counts: Fact[] = [
    ['records that create', created, ops['c'] ?? 0],
    ['records that update', updated, ops['u'] ?? 0],
    ['records that delete', deleted, ops['d'] ?? 0],
  ]
  if (!base) return counts
  const ids = sum(base.stateIdSum) + (idSums['c'] ?? 0n) - (idSums['d'] ?? 0n)
  const contents = base.stateContentSum && stateContentSum
  return [
    ...counts,
    ['the sum of ids', stateIdSum, text(ids)],
    ...(contents
      ? ([['the sum of contents', stateContentSum, text(sum(base.stateContentSum) + contentChange)]] as const)
      : []),
  ]
}

const text = (value: bigint) => idSumText(BigInt.asUintN(128, value))

/** Window, sums and parts of an increment, and what it remembers of them. */
function incrementFacts(
  set: IncrementManifest,
  { base, records, chain, delivered, windowEnds }: SetFacts,
): Fact[] {
  const { parts, incrementParts, to, recordsIdSum, recordsContentSum } = set
  const versions = delivered.get(set.delivered.key)
  const end = Date.parse(to) * 1000
  const isOnly = windowEnds.filter((other) => other === to).length === 1
  // Another window may have ended in the same second.
  const remembered = isOnly ? [...(versions ?? [])].filter(([, { deliveredAt }]) => deliveredAt === end) : []
  const unlike = remembered.filter(([id, { content }]) => records && records.contents.get(id) !== content)
  return [
    ...(records
      ? ([
          ['records', set.records, records.ops['r'] ?? 0],
          ['the sum of ids', recordsIdSum, recordsIdSum && text(records.idSums['r'] ?? 0n)],
          ['the sum of contents', recordsContentSum, recordsContentSum && text(records.contentChange)],
          ['other records than it remembers', unlike.length, 0],
        ] as const)
      : []),
    ...(chain.window ? ([['a window after the last one', to > chain.window.to, false]] as const) : []),
    ...(base
      ? ([
          ['the withheld parts', set.withheldParts, base.withheldParts],
          ...(incrementParts.some(({ key }) => isCompactedPart(key))
            ? []
            : ([
                ['the parts of increments', incrementParts, [...incrementPartsOf(base), ...parts]],
              ] as const)),
          ...(base.kind === 'increment'
            ? ([['a window before the last one', to < base.to, false]] as const)
            : []),
        ] as const)
      : []),
  ]
}
