import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import type { IncrementToCheck } from '../../../functions/publisher/check/set/window.ts'
import { checkWindow, notedWindow, proveWindow } from '../../../functions/publisher/check/set/window.ts'
import { checkSet, type SetToCheck } from '../../../functions/publisher/check-set.ts'
import { setManifestKey } from '../../../stored/changes/change-keys.ts'
import type { ChangePart, ChangesManifest, IncrementManifest } from '../../../stored/changes/changes.ts'
import type { EndedWindow, IncrementEvidence, ProposedIncrement } from '../../../stored/changes/proposal.ts'
import { IncrementTestbed } from '../worker/increment/increment-testbed.ts'
import {
  type Bucket,
  damageOf,
  evidenceOf,
  expectAs,
  linesOf as linesIn,
  publisherOf,
  rules,
  store,
  storePart,
} from './set-checks.ts'

let testbed: IncrementTestbed
let bucket: Bucket
let set: SetToCheck

const ignore = ['seen']
const check = (proposal: SetToCheck['proposal'] = set.proposal, change: Partial<SetToCheck> = {}) =>
  checkSet(publisherOf(bucket), { ...set, ...change, proposal })

const refusal = (proposal: object, change: Partial<SetToCheck> = {}) =>
  damageOf(check(proposal as SetToCheck['proposal'], change))
const linesOf = (parts: readonly ChangePart[]) => linesIn(bucket, ...parts)
const stored = (key: string, lines: readonly string[]) => storePart(bucket, key, lines)

/** Takes what is stored as a proposal after this chain. */
function take(chain: SetToCheck['chain'], evidence?: Partial<IncrementEvidence>): void {
  const manifest = testbed.set()
  const own = { ...rules, ignore, query: testbed.entity.query }
  bucket = new Map(testbed.s3.objects)
  const proposal =
    manifest.kind === 'increment'
      ? { ...manifest, evidence: { ...evidenceOf(manifest, manifest.records), ...evidence } }
      : manifest
  set = { chain, proposal, rules: own, reviewed: undefined }
}

const proposed = () => set.proposal as ProposedIncrement
const folder = () => `changes/CL/${proposed().runId}/`

describe('the window of an increment', () => {
  const window = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T03:00:00Z' }
  const at = Date.parse(window.to)
  const snapshot = { runId: 's', openedAt: '2026-01-01T01:00:00.000Z', uniqueIds: 5005 }
  const evidence = evidenceOf(window, 2)
  const { increments } = rules
  const subject = { entity: 'CL', window, last: undefined, snapshot, evidence }
  const windowWith = (change: object): IncrementToCheck => {
    const { last, ...all } = { ...subject, rules: { ...increments, query: {} }, ...change }
    const proposal = { entity: all.entity, ...all.window, evidence: all.evidence }
    return { ...all, chain: { window: last }, proposal } as never
  }
  const iso = (ms: number) => new Date(at + ms).toISOString()
  const clock = (recorded: object) => ({ evidence: { ...evidence, clock: recorded } })
  const dated = (text: string | undefined, ms = 0) =>
    clock({ at: at + ms, status: 200, details: { headers: { date: text }, body: '[]' } })
  const date = new Date(at).toUTCString()
  const early = { window: { ...window, from: '2025-12-31T23:50:00Z' } }
  const ending = (ms: number) => ({ window: { ...window, to: iso(ms) } })
  const following = (to: string, run = 's', from = '2026-01-01T01:00:00Z') => ({
    last: { snapshot: run, coveredFrom: from, from, to },
    window: { ...window, from },
  })
  const otherClock = /was chosen at 2026-01-01T03:05:01\.001Z, more than 5 minutes from the platform's clock/
  const mustBe = /ends at another time than the platform's clock shows, which is 2026-01-01T03:00:00\.000Z\.$/

  it.each<[what: string, change: object, reason?: RegExp]>([
    ['from an hour before the snapshot', {}],
    ['by a clock that differs by 5 minutes and a second', { ...early, ...dated(date, 301_000) }],
    ['by a clock that differs by more', { ...early, ...dated(date, 301_001) }, otherClock],
    ['by a clock that the first search lacks', dated(undefined), /or without it/],
    ['by a response without details', clock({ at, status: 200 }), /without it/],
    ['by no response', clock({ at, error: 'timeout' }), /without it/],
    ['by a Date that an intermediary has repeated', dated(`${date}, ${date}`)],
    ['by two dates', dated(`${date}, ${new Date(at + 1000).toUTCString()}`), /or without it/],
    ['5 minutes before its run', { startedAt: at + 300_000 }],
    ['more than that before its run', { startedAt: at + 300_001 }, /03:00:00\.000Z, before its run began\.$/],
    ['to a second later', ending(1000)],
    ['to more than a second later', ending(1001), mustBe],
    ['to an earlier second', ending(-1), mustBe],
    ['to its own time, which is earlier', { ...dated(date, -2000), ...ending(-2000) }],
    ['to the end of the last window, which is later', { ...following(iso(5000)), ...ending(5000) }],
    ['to an earlier one than the last window', { ...following(iso(900)), window }, mustBe],
    ['late by a clock that is ahead', dated(date, 60_000), /begins after 2025-12-31T23:59:00\.000Z, so that/],
    ['from an hour before the end of the last window', following('2026-01-01T02:00:00Z')],
    ['from later than that', following('2026-01-01T01:59:59Z'), /begins after 2026-01-01T00:59:59\.000Z/],
    ['after the last window of another snapshot', following(iso(-3_600_000), 'x'), /begins after /],
  ])('is checked %s', (_, change, reason) => {
    const { startedAt } = { startedAt: at, ...change }
    expectAs(() => checkWindow(windowWith(change), startedAt), reason)
  })

  it('is noted from where windows have covered everything', () => {
    const noted = (coveredFrom: string, of = 's') =>
      notedWindow(window, { last: { ...window, snapshot: 's', coveredFrom }, snapshot: of }).coveredFrom
    expect([noted('2025'), noted('2027'), noted('2025', 'x')]).toEqual(['2025', window.from, window.from])
    const covered = { ...window, snapshot: 's', coveredFrom: window.from }
    expect(notedWindow(window, { last: undefined, snapshot: 's' })).toEqual(covered)
  })

  interface Scroll extends Partial<EndedWindow> {
    readonly sizes?: readonly number[]
    readonly total?: string | undefined
    /** Responses before that of the first page. */
    readonly before?: readonly object[]
    readonly ended?: readonly (object | undefined)[]
  }
  const [scroll] = evidence.scrolls
  const [first] = scroll?.pages ?? []
  const end = scroll?.end
  const [page] = first?.received?.exchanges ?? []
  const [empty] = end?.received?.exchanges ?? []
  const noResponse = { page: 1, documents: 2 } as never
  const scrollWith = ({ sizes = [2], before = [], ended = [empty], ...change }: Scroll) => {
    const total = 'total' in change ? change.total : String(change.uniqueIds ?? 2)
    const received = { ...first?.received, exchanges: [...before, { ...page, total }] }
    const pages = sizes.map((documents, index) => ({ page: index + 1, documents, received }))
    const ending = { page: sizes.length + 1, received: { ...end?.received, exchanges: ended } }
    return { ...scroll, pages, end: ending, ...change }
  }
  const scrolls = (...changes: readonly Scroll[]) => ({
    evidence: { ...evidence, scrolls: changes.map(scrollWith) },
  })
  const many = (ids: number) => scrolls({ sizes: [ids], uniqueIds: ids })
  const twice = (change: Scroll) => scrolls(change, change)
  const ignoring = { rules: { ...increments, query: {}, totals: 'ignore' } }
  const of = (status: number) => ({ at, status, bodyBytes: 0 })
  const lasting = { sizes: [1, 1], ended: [{ ...empty, at: at + 1 }] }
  const tooEarly = /^Scroll 2 of the window began before the previous one had ended\.$/
  const near = { sizes: [60, 39], uniqueIds: 99, total: '100' }
  const unconfirmed = { ended: [of(429)] }
  const otherRequest = /with another request: \/api\/dataentities\/CL\/scroll was requested;/
  const mayLack = /2 unique ones were received, and a page may be missing\.$/
  const notShown = /, and nothing shows that these are all\.$/
  const notAll =
    /^The platform reported 3 documents of the window and 2 unique ones .* nothing shows that these are all\.$/
  const alone = /, and no other scroll found the same ones\.$/

  it.each<[what: string, change: object, expected: string | RegExp]>([
    ['as many as the total', {}, 'exact'],
    ['no scroll', scrolls(), /^The evidence of the increment has no scroll\.$/],
    ['another request', { entity: 'AD' }, otherRequest],
    ['a page without a response', scrolls({ pages: [noResponse] }), /: \/ was requested;/],
    ['a missing page', scrolls({ end: { ...end, page: 3 } }), /Of the window's scroll, item 2 is missing\.$/],
    ['no first page', scrolls({ pages: [{ ...first, page: 9 } as never] }), /item 1 is missing/],
    ['more ids than documents', scrolls({ uniqueIds: 3 }), /have 2 documents and 3 unique ids\.$/],
    ['a suspect scroll', scrolls({ suspect: true }), mayLack],
    ['a 504 before the first page', scrolls({ before: [of(200), of(504)] }), mayLack],
    ['a time-out before the end', scrolls({ ended: [{ at, error: 'timeout' }, empty] }), mayLack],
    ['no total', scrolls({ total: undefined }), /without a total nothing is proven\.$/],
    ['another total', scrolls({ total: '3' }), notAll],
    ['another total, twice', twice({ total: '3' }), notAll],
    ['another total, confirmed', scrolls({ total: '3', ended: [empty, empty] }), notAll],
    ['1% less, once', scrolls(near), notShown],
    ['1% less, twice', twice(near), 'within-tolerance'],
    ['a page less, twice', twice({ ...near, sizes: Array(99).fill(1) }), notShown],
    ['no confirmed end', scrolls(unconfirmed), notShown],
    ['no confirmed end, twice', twice(unconfirmed), 'within-tolerance'],
    ['a refusal after full pages', scrolls({ sizes: [2, 2], uniqueIds: 4, ended: [of(400)] }), notShown],
    ['a refusal after other pages', scrolls({ sizes: [2, 1, 1], uniqueIds: 4, ended: [of(400)] }), 'exact'],
    ['1,000 of a small snapshot', { ...many(1000), snapshot: { ...snapshot, uniqueIds: 1 } }, 'exact'],
    ['20% of a snapshot', many(1001), 'exact'],
    ['more than that', many(1002), /which are too many of the snapshot's 5,005\.$/],
    ['no other scroll', ignoring, alone],
    ['the same ones twice', { ...ignoring, ...twice({ total: undefined }) }, 'no-total'],
    ['the same sum of another number', { ...ignoring, ...scrolls({ uniqueIds: 1 }, {}) }, alone],
    ['the same number of others', { ...ignoring, ...scrolls({ idSum: 'others' }, {}) }, alone],
    ['the same ones as a suspect scroll', { ...ignoring, ...scrolls({ suspect: true }, {}) }, alone],
    ['a refusal at a total that is ignored', { ...ignoring, ...twice({ ended: [of(400)] }) }, mayLack],
    ['a scroll that began too early', scrolls(lasting, {}), tooEarly],
    ['a scroll that began at the end of the previous one', scrolls({}, {}), 'exact'],
  ])('is proven or not by %s', (_, change, expected) => {
    expectAs(() => proveWindow(windowWith(change)), expected)
  })
})

beforeEach(async () => {
  testbed = new IncrementTestbed()
  await testbed.begin()
})

describe('a proposed increment', () => {
  beforeEach(async () => {
    testbed.update(1, 'second')
    testbed.update(2, 'second')
    await testbed.increment()
    testbed.update(1, 'third')
    testbed.create(5)
    const chain = testbed.chain()
    await testbed.increment()
    take(chain)
  })

  const records = (change: (lines: string[]) => string[]): object => ({
    parts: [stored(`${folder()}records-other.ndjson.gz`, change(linesOf(proposed().parts)))],
  })
  const replaced = (from: string | RegExp, to: string) =>
    records((lines) => lines.map((line) => line.replace(from, to)))
  const onEvidence = (change: object): object => ({ evidence: { ...proposed().evidence, ...change } })
  const scrolls = (change: (scroll: IncrementEvidence['scrolls'][number]) => object): object =>
    onEvidence({ scrolls: proposed().evidence.scrolls.map((scroll) => ({ ...scroll, ...change(scroll) })) })
  const ofOther = (part: ChangePart) => ({ ...part, key: part.key.replace('/CL/', '/AD/') })
  const withoutOwn = () => ({ incrementParts: proposed().incrementParts.slice(0, 1) })
  const compacted = (change: (lines: string[]) => string[]): object => {
    const last = new Map(
      linesOf(proposed().incrementParts).map((line) => [/"id":(\w+)/.exec(line)?.[1], line]),
    )
    return { incrementParts: [stored(`${folder()}compacted-x.ndjson.gz`, change([...last.values()]))] }
  }

  it('is checked, with all parts of increments or with compacted ones', async () => {
    const { evidence: _, ...manifest } = proposed()
    expect(manifest).toMatchObject({ kind: 'increment', records: 2 })
    await expect(check()).resolves.toEqual({ kind: 'checked', manifest })
    const parts = compacted((lines) => lines)
    await expect(check({ ...proposed(), ...parts })).resolves.toMatchObject({
      kind: 'checked',
      manifest: parts,
    })
  })

  it.each<[what: string, change: () => object, reason: RegExp]>([
    ['drops a record', () => records((lines) => lines.slice(1)), /would have records 2; it must be 1/],
    ['has a record twice', () => records((lines) => [...lines, lines[0] ?? '']), /an id that occurs twice/],
    ['has other bytes', () => replaced('third', 'x'), /recordsContentSum/],
    ['has another op', () => replaced('"r"', '"c"'), /one of the ops r/],
    ['has another id', () => replaced('"id":1', '"id":9'), /another id/],
    [
      'has a document of another time',
      () => replaced(/"(created|updated)In":"20\d\d/g, '"$1In":"1999'),
      /has no date near the window/,
    ],
    ['was read before its run began', () => ({ runId: '20990101T000000000Z-x' }), /before its run began/],
    ['has no clock', () => onEvidence({ clock: { at: 0, error: 'timeout' } }), /clock/],
    ['has a suspect scroll', () => scrolls(() => ({ suspect: true })), /a page may be missing/],
    ['counts more older ones', () => ({ older: 1 }), /accounts for 3 documents; 2 were received/],
    ['counts below zero', () => ({ older: 1, withoutId: -1 }), /accounts for 2 documents; 2 were received/],
    ['is proven otherwise', () => ({ proof: 'no-total' }), /would have proof "no-total"; it must be "exact"/],
    ['follows another set', () => ({ base: 'x' }), /would have base "x"/],
    ['follows a changed set', () => ({ baseSha256: 'x' }), /would have baseSha256 "x"/],
    ['has another snapshot', () => ({ snapshot: 'x' }), /would have snapshot "x"/],
    ['has another sum of ids', () => ({ recordsIdSum: 'x' }), /would have recordsIdSum "x"/],
    ['has another snapshot sum', () => ({ snapshotContentSum: 'x' }), /would have snapshotContentSum "x"/],
    ['counts a state', () => ({ stateDocuments: 5 }), /would have stateDocuments 5; it must be null/],
    ['withholds documents', () => ({ withheldParts: proposed().parts }), /would have withheldParts/],
    ['is in another folder', () => ({ parts: proposed().parts.map(ofOther) }), /is not in the folder/],
    ['leaves its own part out', withoutOwn, /not in the folder/],
    ['compacts a record away', () => compacted((lines) => lines.slice(1)), /lack the last records of 1 ids/],
    [
      'compacts one twice',
      () => compacted((lines) => [...lines.slice(1), lines[1] ?? '']),
      /or occurs twice/,
    ],
    [
      'keeps an older record',
      () => compacted((lines) => [linesOf(proposed().incrementParts)[0] ?? '', ...lines.slice(1)]),
      /is not the last record of its id/,
    ],
    [
      'forgets what was delivered',
      () => {
        const { delivered } = proposed()
        const body = gzipSync(gunzipSync(bucket.get(delivered.key)?.body ?? '').subarray(48))
        const versions = delivered.versions - 1
        return { delivered: { ...delivered, versions, ...store(bucket, delivered.key, body) } }
      },
      /lacks (1 of the 2 delivered versions and 0|0 of the 2 delivered versions and 1) earlier ones/,
    ],
  ])('is not published if it %s', async (_, change, reason) => {
    expect(await refusal({ ...proposed(), ...change() })).toMatch(reason)
  })

  it.each<[what: string, change: () => Partial<SetToCheck>, reason: RegExp]>([
    ['the entity has another query', () => ({ rules: { ...set.rules, query: { a: 'b' } } }), /another query/],
    ['the ignored fields are others', () => ({ rules: { ...set.rules, ignore: [] } }), /changes\.ignore/],
    ['increments are off', () => ({ rules: { ...set.rules, increments: undefined } }), /has no increments/],
    [
      'later versions were delivered before',
      () => {
        const { chain } = set
        const key = chain?.delivered?.key ?? ''
        const versions = gunzipSync(bucket.get(key)?.body ?? '')
        for (let at = 32; at < versions.length; at += 48) versions.writeDoubleBE(Number.MAX_SAFE_INTEGER, at)
        const { sha256 } = store(bucket, key, gzipSync(versions))
        return { chain: { ...chain, delivered: { ...chain?.delivered, sha256 } } } as Partial<SetToCheck>
      },
      /has 1 others, and 1 go back/,
    ],
    ['there is no chain', () => ({ chain: undefined }), /would have base/],
  ])('is not published if %s', async (_, change, reason) => {
    expect(await refusal(proposed(), change())).toMatch(reason)
  })

  it('only moves the window if it has no records', async () => {
    const evidence = evidenceOf(proposed(), 2, { equal: 2 })
    const empty = { ...proposed(), records: 0, parts: [], evidence }
    await expect(check(empty)).resolves.toMatchObject({ kind: 'checked', manifest: { records: 0 } })
    expect(await refusal({ ...empty, evidence: evidenceOf(proposed(), 2) })).toMatch(
      /accounts for 0 documents; 2/,
    )
  })
})

describe('a set after increments', () => {
  const own = () => set.proposal as ChangesManifest
  const withheldWithout = (text: string) => {
    const lines = linesOf(own().withheldParts).filter((line) => !line.includes(text))
    return [{ ...own().withheldParts[0], ...stored(`${folder()}withheld-x.ndjson.gz`, lines) }]
  }
  /** A withheld document in a record instead. */
  const inRecord = (text: string, recordOf: (document: string) => string) => {
    const document = linesOf(own().withheldParts).find((line) => line.includes(text)) ?? ''
    const parts = [stored(`${folder()}records-x.ndjson.gz`, [...linesOf(own().parts), recordOf(document)])]
    return { parts, withheldParts: withheldWithout(text) }
  }

  beforeEach(async () => {
    testbed.update(1, 'second')
    testbed.create(5)
    await testbed.increment()
    const chain = testbed.chain()
    // The index of the sync has neither of these yet.
    testbed.update(1, 'first', testbed.old)
    testbed.documents.pop()
    testbed.documents.splice(3, 1)
    await testbed.sync()
    take(chain)
  })

  it('holds and withholds what increments delivered shortly before', async () => {
    expect(own()).toMatchObject({ kind: 'changes', held: 1, withheld: 1, deleted: 1 })
    await expect(check()).resolves.toEqual({ kind: 'checked', manifest: own() })
  })

  it('has the same sum of the contents if no earlier set has one', async () => {
    const key = setManifestKey('CL', own().base ?? '')
    const { snapshotContentSum: _, ...tip } = JSON.parse(String(bucket.get(key)?.body)) as IncrementManifest
    const { sha256: baseSha256 } = store(bucket, key, Buffer.from(JSON.stringify(tip)))
    const proposal = { ...own(), baseSha256 }
    await expect(check(proposal)).resolves.toEqual({ kind: 'checked', manifest: proposal })
  })

  it('reads no page of which all documents are the same, as the entries of both snapshots show', async () => {
    const publisher = publisherOf(bucket)
    const read: string[] = []
    const objects = {
      ...publisher.objects,
      read: (key: string) => {
        read.push(key)
        return publisher.objects.read(key)
      },
      put: () => Promise.reject(new Error('Pages are checked again.')),
    }
    await expect(checkSet({ ...publisher, objects }, set)).resolves.toMatchObject({ kind: 'checked' })
    const target = JSON.parse(String(bucket.get(own().snapshot)?.body)) as { pages: { key: string }[] }
    // The held document is in the first page, and the other page has no document that differs.
    expect(target.pages.map(({ key }) => read.includes(key))).toEqual([true, false])
  })

  it.each<[what: string, change: () => object, reason: RegExp]>([
    [
      'reverts a delivered document',
      () =>
        inRecord('second', (held) => `{"op":"u","id":1,"before":${held},"after":${testbed.documents[0]}}`),
      /goes back to a version that is older than the delivered one/,
    ],
    [
      'does not hold a delivered document',
      () => ({ withheldParts: withheldWithout('second') }),
      /is older than what was delivered, and is not held/,
    ],
    [
      'deletes a delivered document',
      () => inRecord('"new"', (gone) => `{"op":"d","id":5,"before":${gone}}`),
      /is withheld, and has a record d/,
    ],
    ['counts fewer held ones', () => ({ held: 0 }), /would have held 0; it must be 1/],
    ['does not say what it kept', () => ({ keptByDelivery: undefined }), /would have keptByDelivery/],
    ['audits wrongly', () => ({ missedByIncrements: 9 }), /would have missedByIncrements 9; it must be 0/],
  ])('is not published if it %s', async (_, change, reason) => {
    expect(await refusal({ ...own(), ...change() })).toMatch(reason)
  })
})
