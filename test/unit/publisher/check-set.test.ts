import { hash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { entryBytes } from '../../../functions/publisher/check/entries.ts'
import {
  canonicalForm,
  hashNumber,
  shortHash,
  sumText,
} from '../../../functions/publisher/check/set/canonical.ts'
import { protectedAfter, versionDate } from '../../../functions/publisher/check/set/dates.ts'
import { decide } from '../../../functions/publisher/check/set/decide.ts'
import { refusedDeletes } from '../../../functions/publisher/check/set/deletes.ts'
import { JoinedLines } from '../../../functions/publisher/check/set/joined-lines.ts'
import {
  deliveredAtOf,
  factsOf,
  indexDocuments,
  indexRecords,
  recordBytes,
  versionDateOf,
  versionText,
} from '../../../functions/publisher/check/set/record-entries.ts'
import { readRecord } from '../../../functions/publisher/check/set/records.ts'
import { checkSet, type SetToCheck } from '../../../functions/publisher/check-set.ts'
import { refusedChangesKey, setManifestKey } from '../../../stored/changes/change-keys.ts'
import type { RefusedChanges } from '../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import type { Proposal } from '../../../stored/changes/proposal.ts'
import { refusal } from '../../../stored/join/guard.ts'
import { ChangeSetTestbed, numberedDocuments } from '../compare/change-set-testbed.ts'
import { expectAs, publisherOf, rules } from './set-checks.ts'

let testbed: ChangeSetTestbed
let chain: ChangesLatest | undefined
beforeEach(() => {
  testbed = new ChangeSetTestbed()
  chain = undefined
})

/** Publishes a snapshot and its set, and returns the proposal. */
async function propose(snapshot: Parameters<ChangeSetTestbed['next']>[0]): Promise<Proposal> {
  chain = testbed.chain()
  return (await testbed.next(snapshot)).manifest as Proposal
}

const check = (proposal: object, change: Partial<SetToCheck> = {}, endsAt?: number) =>
  checkSet(publisherOf(testbed.s3.objects, endsAt), {
    chain,
    proposal: proposal as Proposal,
    rules,
    reviewed: undefined,
    ...change,
  })
const lax = { rules: { ...rules, maxDeletePercent: 10 } }

describe('a reset', () => {
  const documents = ['{"id":1,"v":1}', '{"id":2}', '{"id":1,"v":2}']

  it('has the sums of the last document of each id', async () => {
    const sumOf = (texts: readonly string[]) =>
      sumText(texts.reduce((sum, text) => sum + hashNumber(shortHash(text)), 0n))
    expect(await propose({ documents })).toMatchObject({
      stateDocuments: 2,
      stateIdSum: sumOf(['1', '2']),
      stateContentSum: sumOf(documents.slice(1)),
    })
  })

  it.each([
    ['stateDocuments', 3, /would have stateDocuments 3; it must be 2/],
    ['stateIdSum', 'x', /would have stateIdSum "x"/],
    ['stateContentSum', 'x', /would have stateContentSum "x"/],
    ['reason', 'Because.', /reason "Because."; it must be "It is the first change set of the entity."/],
    ['base', 'x', /would have base "x"; it must be null/],
    ['parts', [{}], /would have parts/],
  ])('is not published with another %s', async (name, value, reason) => {
    const proposal = await propose({ documents })
    await expect(check(proposal)).resolves.toEqual({ kind: 'checked', manifest: proposal })
    await expect(check({ ...proposal, [name]: value })).rejects.toThrow(reason)
  })

  it('asks the guard after comparisons kept failing', async () => {
    await propose({ documents: numberedDocuments(40) })
    const proposal = await propose({ documents: numberedDocuments(20), uniqueIds: 20 })
    const failures = { count: 3, first: '2026-01-01T00:00:00Z', last: '2026-01-02T00:00:00Z' }
    chain = chain && { ...chain, failures }
    const { version, entity, runId, idField, ignore, snapshot, snapshotSha256 } = proposal
    const head = { version, entity, runId, idField, ignore, snapshot, snapshotSha256 }
    const reset = { ...head, parts: [], withheldParts: [], kind: 'reset', base: null, reason: failed }
    await expect(check(reset)).resolves.toMatchObject({ kind: 'checked', manifest: { stateDocuments: 20 } })
    await expect(check(reset, lax)).resolves.toMatchObject({
      kind: 'refused',
      deleted: 20,
      baseDocuments: 40,
    })
  })
})

const failed = 'Comparisons from the tip kept failing, because of damaged pages or too many changes.'
describe('what becomes of a document', () => {
  const before = { from: 'snapshot', counted: 0, deliveredAt: undefined }
  const wasWithheld = (counted: number) => ({ base: { ...before, from: 'withheld', counted } })
  const delivered = (deliveredAt: number) => ({ base: { ...before, from: 'increment', deliveredAt } })
  const hasBytes = { hasBytesOfBase: true, hasBytesOfTarget: true }
  const record = (op: string, facts = {}) => ({ ...hasBytes, record: { op, ...facts }, ...facts })
  const withheld = (countedAbsences: number, facts = {}) => ({
    ...hasBytes,
    withheld: { countedAbsences, ...facts },
    ...facts,
  })
  const created = { base: undefined }
  const absent = { isInTarget: false }
  const same = { hasSameBytes: true }
  const inexact = { target: { proof: 'no-total' } }
  const ranges = (absences?: string) => ({ target: { proof: 'exact', partitionedBy: { absences } } })
  const after = { protectedAfter: 10 }
  const accepted = { withholdsUnreviewed: true }
  const wrong = { hasBytesOfBase: false }
  const asDelivered = { delivered: true }

  it.each<[outcome: string | RegExp, document: object, rules?: object]>([
    ['rewritten', {}],
    ['unchanged', same],
    ['updated', record('u')],
    ['returned', { ...wasWithheld(0), ...record('u', { isEqual: true }), ...same }],
    [/^was withheld and is back, and has no record$/, { ...wasWithheld(0), ...same }],
    [/^is in the base and in the snapshot, and has a record c$/, record('c')],
    [/^is updated from other bytes than the base has$/, record('u', wrong)],
    [/^is updated to other bytes than the snapshot has$/, record('u', { hasBytesOfTarget: false })],
    [/^has not changed, and has a record$/, record('u', { isEqual: true })],
    [/^has not changed, and has a record$/, { ...record('u'), ...same }],
    [/^goes back to a version/, { ...delivered(11), ...record('u', { isReverted: true }) }, after],
    ['updated', { ...delivered(10), ...record('u', { isReverted: true }) }, after],
    ['updated', { ...delivered(11), ...record('u', { isReverted: true }) }],
    ['updated', record('u', { isReverted: true }), after],
    ['updated', { ...delivered(11), ...record('u') }, after],
    ['held', { ...delivered(11), ...withheld(0, asDelivered) }, after],
    [/^is withheld, and the snapshot has it$/, { ...delivered(10), ...withheld(0, asDelivered) }, after],
    [/^is held with other bytes than were delivered$/, { ...delivered(11), ...withheld(0) }, after],
    [/^is held with/, { ...delivered(11), ...withheld(0, { ...asDelivered, ...wrong }) }, after],
    [/^has a record and is withheld$/, { ...record('u'), ...withheld(0) }],

    ['created', { ...created, ...record('c') }],
    [/^is created, and has a record u$/, { ...created, ...record('u') }],
    [/^is created, and has no record$/, created],
    [/^is created with other bytes than/, { ...created, ...record('c', { hasBytesOfTarget: false }) }],
    [/^is withheld, and the base does not have it$/, { ...created, ...withheld(1) }],
    [/^has a record, and is neither in the base/, { ...created, ...absent, ...record('c') }],

    ['deleted', { ...absent, ...record('d') }],
    [/^is deleted, and has no record$/, { ...absent, ...withheld(1) }],
    [/^is deleted, and has a record u$/, { ...absent, ...record('u') }],
    [/^is deleted with other bytes than the base has$/, { ...absent, ...record('d', wrong) }],
    ['withheld', { ...absent, ...withheld(1) }, inexact],
    [/ with 0 counted absences \(delivered: false\); 1 count /, { ...absent, ...withheld(0) }, inexact],
    [/; 1 count \(delivered: false\)$/, { ...absent, ...withheld(1, asDelivered) }, inexact],
    [/^is withheld, and has a record d$/, { ...absent, ...record('d') }, inexact],
    [/^is withheld with other bytes than the base has$/, { ...absent, ...withheld(1, wrong) }, inexact],
    ['deleted', { ...absent, ...wasWithheld(1), ...record('d') }, inexact],
    ['withheld', { ...absent, ...wasWithheld(0), ...withheld(1) }, inexact],

    ['deleted', { ...absent, ...record('d', { isOrdered: true }) }, ranges('proven')],
    [/^is deleted, and/, { ...absent, ...withheld(1, { isOrdered: true }) }, ranges('proven')],
    [/^is withheld, and has a record d$/, { ...absent, ...record('d') }, ranges('proven')],
    [/^is withheld, and has no record$/, absent, ranges('proven')],
    ['deleted', { ...absent, ...wasWithheld(1), ...record('d') }, ranges('proven')],
    ['deleted', { ...absent, ...wasWithheld(1), ...record('d') }, ranges('repeatable')],
    ['withheld', { ...absent, ...withheld(1, { isOrdered: true }) }, ranges('repeatable')],
    ['withheld', { ...absent, ...withheld(0) }, ranges()],
    ['withheld', { ...absent, ...wasWithheld(1), ...withheld(1) }, ranges('unknown')],

    ['protected', { ...absent, ...delivered(11), ...withheld(0, asDelivered) }, after],
    [/; 0 count \(delivered: true\)$/, { ...absent, ...delivered(11), ...withheld(1, asDelivered) }, after],
    ['deleted', { ...absent, ...delivered(10), ...record('d') }, after],
    ['withheld', { ...absent, ...withheld(1) }, accepted],
    ['withheld', { ...absent, ...delivered(1), ...withheld(0, asDelivered) }, accepted],
    ['withheld', { ...absent, ...delivered(1), ...withheld(1) }, { ...inexact, ...accepted }],
    ['deleted', { ...absent, ...record('d'), isReviewed: true }, accepted],
  ])('is %s: %j %j', (expected, document, rules = {}) => {
    const own = { base: before, isInTarget: true, hasSameBytes: false, isReviewed: false, ...document }
    const all = {
      target: { proof: 'exact' },
      protectedAfter: undefined,
      withholdsUnreviewed: false,
      ...rules,
    }
    expectAs(() => decide(own as never, all as never), expected)
  })
})

it('the sum of the contents is found again if the last full set lacks it', async () => {
  const documents = (value: number) => [1, 2, 3].map((id) => `{"id":"${id}","v":${id === 2 ? value : 0}}`)
  const { manifest } = await testbed.next({ documents: documents(1) })
  const older = JSON.stringify({ ...manifest, stateContentSum: undefined })
  testbed.overwrite(setManifestKey('CL', manifest.runId), Buffer.from(older))
  // Two withheld documents belong to the state. Of the two with one id the last one does.
  const twice = ['{"id":"2","v":3}', ...documents(2).slice(1, 2)]
  const next = await testbed.next({ documents: twice, proof: 'no-total' })
  expect(next.withheld).toHaveLength(2)
  const sum = documents(2).reduce(
    (total, text) => total + BigInt(`0x${hash('sha256', text).slice(0, 32)}`),
    0n,
  )
  const stateContentSum = (sum % 2n ** 128n).toString(16).padStart(32, '0')
  expect(next.manifest).toMatchObject({ stateContentSum })
})

describe('the guard on deletes', () => {
  it('is asked if the review of a snapshot does not show what is deleted', async () => {
    await propose({ documents: numberedDocuments(40) })
    await propose({ documents: numberedDocuments(20), proof: 'no-total' })
    const proposal = await propose({ documents: numberedDocuments(20) })
    const snapshot = { ...lax, reviewed: { kind: 'snapshot' } } as const
    await expect(check(proposal, snapshot)).resolves.toMatchObject({ kind: 'refused', deleted: 20 })
  })

  it('is not asked for a set that a person reviewed, which deletes nothing else', async () => {
    await propose({ documents: numberedDocuments(40) })
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    const runId = testbed.publish({ documents: numberedDocuments(20) })
    expect(await testbed.compare()).toMatchObject({ status: 'refused' })
    chain = testbed.chain()
    const refused = JSON.parse(testbed.text(refusedChangesKey('CL', runId)) ?? '') as RefusedChanges
    await testbed.compare({ acceptance: { reviewed: 'set', runId, by: 'a person' } })
    const proposal = testbed.set(runId).manifest
    const reviewed = (change: Partial<RefusedChanges>) =>
      ({ ...lax, reviewed: { kind: 'set', refused: { ...refused, ...change } } }) as const
    await expect(check(proposal, reviewed({}))).resolves.toMatchObject({
      kind: 'checked',
      manifest: { by: 'a person' },
    })
    await expect(check(proposal, reviewed({ reviewedParts: [] }))).rejects.toThrow(
      /is withheld, and has a record d/,
    )
    await expect(check(proposal, reviewed({ runId: 'x' }))).rejects.toThrow(/it must be "x"/)
    await expect(check(proposal, reviewed({ base: 'x' }))).rejects.toThrow(
      /The review compared with the snapshot x/,
    )
  })
})

it('deletes by ranges only what has a date that they can order', async () => {
  const dated = '{"id":1,"createdIn":"2026-01-01T00:00:00Z"}'
  const undated = '{"id":2,"createdIn":"2026-01-01 00:00:00Z"}'
  await propose({ documents: [dated, undated] })
  const proposal = await propose({ documents: [], absences: 'proven' })
  expect(proposal).toMatchObject({ deleted: 1, withheld: 1 })
  await expect(check(proposal)).resolves.toEqual({ kind: 'checked', manifest: proposal })
})

describe('a set says since when its content is absent', () => {
  beforeEach(() => {
    testbed.eraseWithinDays = 30
  })
  const withheld = (count: number) => propose({ documents: numberedDocuments(count), absences: 'unknown' })

  async function expectSince(proposal: Proposal, runId: string, notSince: readonly string[]) {
    expect(proposal).toMatchObject({ absentSince: runId, withheldSince: runId })
    await expect(check(proposal)).resolves.toEqual({ kind: 'checked', manifest: proposal })
    for (const name of ['absentSince', 'withheldSince'])
      for (const since of notSince)
        await expect(check({ ...proposal, [name]: since })).rejects.toThrow(`would have ${name} "${since}"`)
  }

  it('and not for too short a time', async () => {
    const { runId: begun } = await propose({ documents: numberedDocuments(4) })
    const first = await withheld(3)
    await expectSince(first, first.runId, [begun])
    const again = await withheld(2)
    await expectSince(again, first.runId, [again.runId, begun])
  })

  it('by the base if there were other runs', async () => {
    const { runId: base } = await propose({ documents: numberedDocuments(4) })
    const between = testbed.publish({ documents: numberedDocuments(4) })
    const proposal = await withheld(3)
    await expectSince(proposal, base, [proposal.runId, between])
  })

  it('of documents that are withheld, if there are any', async () => {
    await propose({ documents: numberedDocuments(4) })
    const proposal = await propose({ documents: numberedDocuments(3) })
    expect(proposal).toHaveProperty('absentSince', proposal.runId)
    const changed = { ...proposal, withheldSince: proposal.runId }
    await expect(check(changed)).rejects.toThrow('would have withheldSince')
  })
})

it('stops when the time is up', async () => {
  await propose({ documents: numberedDocuments(4) })
  const proposal = await propose({ documents: numberedDocuments(5) })
  await expect(check(proposal, {}, 0)).resolves.toEqual({ kind: 'checking' })
})

it.each([
  ['the snapshot is not the published one', '"sha256":"', '"sha256":"0', /was published/],
  ['the snapshot is newer than the published one', '"runId":"2', '"runId":"1', /is not published/],
])('throws if %s', async (...[, from, to, reason]) => {
  const key = 'snapshots/CL/latest.json'
  const proposal = await propose({ documents: numberedDocuments(4) })
  testbed.overwrite(key, Buffer.from(testbed.text(key)?.replace(from, to) ?? ''))
  await expect(check(proposal)).rejects.toThrow(reason)
})

it('splits an update where its first document ends', () => {
  const [before, after] = [
    '{"id":1,"a":{"x":{},"after":{"y":1}}}',
    '{"id":1,"after":{"before":"},\\"after\\":{"}}',
  ]
  const record = readRecord(`{"op":"u","id":1,"before":${before},"after":${after}}`, {
    ops: 'u',
    idField: 'id',
  })
  expect([record.before?.text, record.after?.text]).toEqual([before, after])
  const created = readRecord('{"op":"c","id":1,"after":{"id":1}}', { ops: 'c', idField: 'id' })
  expect([created.before, created.after?.text]).toEqual([undefined, '{"id":1}'])
})

const otherOp = /^begins with \{"op":"r", which is no record with one of the ops cud$/
it.each<[line: string, read: RegExp | string | undefined, ops?: string]>([
  ['{"op":"c","id":"","after":{"id":""}}', '""'],
  ['{"op":"r","id":12.0,"after":{"id":12.0}}', '12.0', 'r'],
  ['{"op":"d","id":true,"before":{"id":true}}', 'true'],
  ['{"op":"d","id":"a\\u0062\\"c","before":{"id":"ab\\"c"}}', '"ab\\"c"'],
  ['{"op":"d","id":null,"before":{"x":1}}', undefined],
  ['{"op":"u","id":null,"before":{"x":1},"after":{"x":1}}', undefined],
  ['{"op":"u","id":null,"before":{"x":1},"after":{"x":2}}', /^updates a document without an id$/],
  ['{"op":"u","id":1,"before":{"id":1},"after":{"id":2}}', /^has another id than its documents$/],
  ['{"op":"r","id":null,"after":{"x":1}}', /^has another id than its documents$/, 'r'],
  ['{"op":"c","id":1,"before":{"id":1}}', /^has the op c and the member before$/],
  ['{"op":"r","id":1,"before":{"id":1}}', /^has the op r and the member before$/, 'r'],
  ['{"op":"d","id":1,"after":{"id":1}}', /^has the op d and the member after$/],
  ['{"op":"u","id":1,"before":{"id":1}}', /^does not have the members before and after$/],
  ['{"op":"r","id":1,"after":{"id":1}}', otherOp],
  [' {"op":"c","id":1,"after":{"id":1}}', /^begins with /],
  ['{"op":"c","id":1,"after":{"id":1}]', /^begins with /],
  ['{"op":"c","id":[],"after":{}}', /^begins with /],
  ['{"op":"c","id":1,"after":{"id":1},"x":1}', /^is not JSON$/],
  ['{"op":"c","id":1,"after":1}', /^is not a JSON object$/],
])('reads a record with its id, or says what is wrong: %s', (line, expected, ops = 'cud') => {
  expectAs(() => readRecord(line, { ops, idField: 'id' }).id, expected)
})

it('protects what was delivered for an hour, or as long as the lookback', () => {
  expect([30, 90].map((minutes) => protectedAfter('1970-01-01T02:00:00Z', minutes))).toEqual([36e8, 18e8])
  const dates = { createdIn: '1970-01-01', updatedIn: '1970-01-02' }
  expect([versionDate(dates), versionDate({ ...dates, updatedIn: '' })]).toEqual([864e8, 0])
})

const withoutIds = / In its snapshot, 11 of 20 documents do not have the field id .* a delete and a create\.$/
it.each([
  [10, 10, 0, undefined],
  [11, 110, 10, undefined],
  [11, 109, 10, /^The change set deletes 11 of 109 documents \(10\.1%\); maxDeletePercent is 10\.$/],
  [11, 2, 10, withoutIds, 11],
])('refuses %i deletes of %i: %s', (...[deleted, baseDocuments, maxPercent, reason, withoutId = 10]) => {
  const target = { documents: 20, idField: 'id', withoutId }
  expectAs(() => refusedDeletes({ deleted, baseDocuments }, maxPercent, target)?.reason, reason)
  expectAs(() => refusal({ deleted, baseDocuments, maxDeletePercent: maxPercent, target }), reason)
})

it('writes sums modulo 2^128', () => {
  expect(hashNumber('\u00ff\u0001')).toBe(0xff01n)
  expect(hashNumber(shortHash('a')).toString(16)).toBe(hash('sha256', 'a').slice(0, 32))
  expect([2n ** 128n + 10n, -1n].map(sumText)).toEqual([`${'0'.repeat(31)}a`, 'f'.repeat(32)])
})

describe('the entries of records', () => {
  const covered = { from: Date.parse('2026-01-02') * 1000, to: Date.parse('2026-01-03') * 1000 }
  const ignored = new Set(['x'])
  const recordRules = { idField: 'id', ops: 'cudr', ignored, by: 'createdIn', covered, versions: new Map() }
  const index = (lines: readonly string[], change = {}) =>
    indexRecords(Buffer.from(lines.map((line) => `${line}\n`).join('')), { ...recordRules, ...change })
  const of = (fields = '') => `{"id":1${fields}}`
  const created = (document: string) => `{"op":"c","id":1,"after":${document}}`
  const updated = (before: string, other: string) => `{"op":"u","id":1,"before":${before},"after":${other}}`
  const onDay = (day: number) => of(`,"updatedIn":"2026-01-0${day}"`)
  const [old, first, last, late] = [onDay(1), onDay(2), onDay(3), onDay(4)]
  const both = (date: string) => of(`,"updatedIn":"2026-01-01","createdIn":"${date}"`)
  const gone = (document: string) => `{"op":"d","id":1,"before":${document}}`
  const factNames = ['isEqual', 'isReverted', 'isOrdered', 'isMissed', 'isInvisible'] as const

  it.each<[record: string, facts: string, change?: object]>([
    [created(first), 'c isMissed'],
    [created(last), 'c isMissed'],
    [created(old), 'c isInvisible'],
    [created(late), 'c'],
    [created(of()), 'c isInvisible'],
    [created(both('2026-01-02')), 'c'],
    [created(both('2026-01-01')), 'c isInvisible'],
    [created(first), 'c', { covered: undefined }],
    [updated(late, first), 'u isReverted isMissed'],
    [updated(late, old), 'u isReverted isInvisible'],
    [updated(first, late), 'u'],
    [updated(of(), late), 'u'],
    [updated(late, of()), 'u isInvisible'],
    [updated(late, late), 'u isEqual'],
    [updated(late, late.replace('}', ',"x":1}')), 'u isEqual'],
    [gone(of(',"createdIn":"2026-01-01"')), 'd isOrdered'],
    [gone(of(',"createdIn":"2026"')), 'd'],
    [`{"op":"r","id":1,"after":${late}}`, 'r'],
  ])('have what is known of %s: %s', (record, known, change) => {
    const { op, ...facts } = factsOf(index([created(late), record], change).entries, recordBytes)
    expect([op, ...factNames.filter((name) => facts[name])].join(' ')).toBe(known)
  })

  const bits = (text: string, bytes: number) => hash('sha256', text).slice(0, 2 * bytes)

  it('have the hashes of ids and documents, what they add to the sum, and the versions that they replace', () => {
    const [one, other] = [of(',"v":1'), of(',"v":2')]
    const versions = new Map([[shortHash('1'), '']])
    const read = index([updated(one, other), `{"op":"d","id":"2","before":{"id":"2"}}`], { versions })
    const hex = read.entries.toString('hex')
    expect(hex.slice(0, 2 * recordBytes - 2)).toBe(bits('1', 16) + bits(one, 8) + bits(other, 8))
    expect(hex.slice(2 * recordBytes, -2)).toBe(bits('"2"', 16) + bits('{"id":"2"}', 8).repeat(2))
    const [added, removed, deleted] = [other, one, '{"id":"2"}'].map((text) => hashNumber(shortHash(text)))
    expect(read.contentChange).toBe((added ?? 0n) - (removed ?? 0n) - (deleted ?? 0n))
    expect(read.replaced).toEqual(new Map([[shortHash('1'), { text: other, value: JSON.parse(other) }]]))
    expect(index([`{"op":"r","id":1,"after":${one}}`]).contentChange).toBe(0n)
    const documents = indexDocuments(Buffer.from(`${one}\n${of(',"createdIn":"2026-01-01"')}\n`), recordRules)
    expect(documents.toString('hex', 0, recordBytes - 9)).toBe(bits('1', 16) + bits(one, 8))
    expect([0, recordBytes].map((at) => factsOf(documents, at).isOrdered)).toEqual([false, true])
    expect(documents).toHaveLength(2 * recordBytes)
  })

  it('name the record that is not right', () => {
    expect(() => index([created(late), 'x'])).toThrow(/^has a line 2 that begins with x,/)
  })

  it('have versions with the hash, the date and the end of the window', () => {
    const versionOf = (text: string) => versionText({ text, value: JSON.parse(text) as object }, ignored, 7)
    const [version, undated] = [versionOf(old.replace('}', ',"x":1}')), versionOf(of())]
    expect(version).toHaveLength(32)
    expect(version.slice(0, 16)).toBe(shortHash(canonicalForm(old, new Set())))
    expect([version, undated].map(versionDateOf)).toEqual([Date.parse('2026-01-01') * 1000, 0])
    expect(deliveredAtOf(version)).toBe(7)
  })
})

it('joins the lines of an id in rows, more than it expects', () => {
  const entryOf = (id: number, first = 0, second = 0) => {
    const of = Buffer.alloc(1 + entryBytes)
    of.writeUInt32BE(id, 1)
    of.writeUInt32BE(first, 17)
    of.writeUInt32BE(second, 21)
    return { of, at: 1 }
  }
  const lines = new JoinedLines(0)
  for (let id = 0; id < 600; id++)
    expect(lines.addLine('base', id, entryOf(id, id))).toEqual({ number: id, replaced: undefined })
  const added = [
    lines.addLine('target', 9, entryOf(0)),
    lines.addLine('target', 8, entryOf(1, 1, 1)),
    lines.addLine('target', 7, entryOf(2, 3)),
    lines.addLine('record', 5, entryOf(1)),
    lines.addLine('withheld', 6, entryOf(1)),
    lines.addLine('base', 700, entryOf(1, 1, 2)),
  ]
  expect(added.map(({ replaced }) => replaced)).toEqual([...Array(5), 1])
  const none = { target: undefined, hasSameBytes: false, record: undefined, withheld: undefined }
  const rows = Array.from({ length: lines.ids.size }, (_, number) => lines.row(number))
  expect(rows.slice(0, 4)).toEqual([
    { ...none, number: 0, base: 0, target: 9, hasSameBytes: true },
    { ...none, number: 1, base: 700, target: 8, record: 5, withheld: 6 },
    { ...none, number: 2, base: 2, target: 7 },
    { ...none, number: 3, base: 3 },
  ])
  expect(rows.map(({ base }) => base)).toEqual([0, 700, ...Array.from({ length: 598 }, (_, id) => id + 2)])
  const contents = [entryOf(0, 1, 2), entryOf(0, 1, 1), entryOf(0, 2, 2), entryOf(0, 3)]
  const haveContent = (number: number, side: 'base' | 'target') =>
    contents.map(({ of }) => lines.hasContent(number, side, { of, at: 17 }))
  expect(haveContent(1, 'base')).toEqual([true, false, false, false])
  expect(haveContent(1, 'target')).toEqual([false, true, false, false])
  expect(haveContent(2, 'target')).toEqual([false, false, false, true])
  expect([lines.has(1, 'record'), lines.has(2, 'record'), lines.has(1, 'withheld')]).toEqual([
    true,
    false,
    true,
  ])
})
