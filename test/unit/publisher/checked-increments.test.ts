import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { notedWindow } from '../../../functions/publisher/check/set/window.ts'
import { checkSet, type SetToCheck } from '../../../functions/publisher/check-set.ts'
import type { Exchange, ReceivedResponse } from '../../../functions/upstream/recorded-exchange.ts'
import type { ChangePart, ChangesManifest } from '../../../stored/changes/changes.ts'
import type { IncrementEvidence, ProposedIncrement } from '../../../stored/changes/proposal.ts'
import { IncrementTestbed } from '../worker/increment/increment-testbed.ts'
import {
  type Bucket,
  damageOf,
  evidenceOf,
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
  /** Another response in place of the first page's, or before it. */
  const firstPage = (...exchanges: readonly Partial<Exchange>[]): object =>
    scrolls(({ pages }) => ({
      pages: pages.map((page) => {
        const [response] = page.received?.exchanges ?? []
        return {
          ...page,
          received: { ...page.received, exchanges: exchanges.map((one) => ({ ...response, ...one })) },
        }
      }),
    }))
  const later = (time: string, ms: number) =>
    new Date(Date.parse(time) + ms).toISOString().replace('.000Z', 'Z')
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

  it('notes from where windows have covered everything', () => {
    const last = set.chain?.window
    const covered = { last, snapshot: last?.snapshot ?? '' }
    expect(notedWindow(proposed(), covered)).toEqual(testbed.chain().window)
    expect(notedWindow(proposed(), { ...covered, snapshot: 'next' }).coveredFrom).toBe(proposed().from)
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
      /without a date near the window/,
    ],
    ['begins later', () => ({ from: later(proposed().from, 1000) }), /another request|begins after/],
    [
      'begins after the last window, less the lookback',
      () => {
        const from = later(proposed().from, 1000)
        return { from, evidence: evidenceOf({ ...proposed(), from }, 2) }
      },
      /begins after/,
    ],
    ['was read before its run began', () => ({ runId: '20990101T000000000Z-x' }), /before its run began/],
    ['changes too much', () => ({ evidence: evidenceOf(proposed(), 1_001, { equal: 999 }) }), /too many of/],
    ['ends later', () => ({ to: later(proposed().to, 2000) }), /ends at another time/],
    ['ends earlier', () => ({ to: later(proposed().to, -2000) }), /ends at another time/],
    ['has no clock', () => onEvidence({ clock: { at: 0, error: 'timeout' } }), /clock/],
    [
      'has a clock of another hour',
      () => onEvidence({ clock: { ...proposed().evidence.clock, at: 0 } }),
      /more than 5 minutes from the platform's clock/,
    ],
    ['has no scroll', () => onEvidence({ scrolls: [] }), /has no scroll/],
    [
      'was requested otherwise',
      () =>
        scrolls(({ pages }) => ({
          pages: pages.map((page) => ({ ...page, received: { ...page.received, request: '/x' } })),
        })),
      /scrolled with another request/,
    ],
    ['lacks a page', () => scrolls(({ end }) => ({ end: { ...end, page: 3 } })), /item 2 is missing/],
    ['has a suspect scroll', () => scrolls(() => ({ suspect: true })), /a page may be missing/],
    ['follows a 504', () => firstPage({}, { status: 504 } as Partial<Exchange>, {}), /a page may be missing/],
    [
      'has another total',
      () => firstPage({ total: '3' } as Partial<Exchange>),
      /reported 3 .* and 2 unique ones/,
    ],
    ['has no total', () => firstPage({ total: undefined } as never), /without a total nothing is proven/],
    ['counts more unique ids', () => scrolls(() => ({ uniqueIds: 3 })), /2 documents and 3 unique ids/],
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
    [
      'is in another folder',
      () => ({ parts: proposed().parts.map((part) => ({ ...part, key: part.key.replace('/CL/', '/AD/') })) }),
      /is not in the folder/,
    ],
    [
      'leaves its own part out',
      () => ({ incrementParts: proposed().incrementParts.slice(0, 1) }),
      /not in the folder/,
    ],
    ['compacts a record away', () => compacted((lines) => lines.slice(1)), /lack the last records of 1 ids/],
    ['compacts one twice', () => compacted((lines) => [...lines.slice(1), lines[1] ?? '']), /has it twice/],
    [
      'keeps an older record',
      () => compacted((lines) => [linesOf(proposed().incrementParts)[0] ?? '', ...lines.slice(1)]),
      /is not the last one of its id/,
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

  it('is proven by two scrolls that found the same documents', async () => {
    const { evidence } = proposed()
    const [scroll] = evidence.scrolls
    const increments = { lookbackMinutes: 60, totals: 'ignore', totalTolerancePercent: 1 } as const
    const ownRules = { rules: { ...set.rules, increments } }
    const twice = { ...proposed(), proof: 'no-total', evidence: { ...evidence, scrolls: [scroll, scroll] } }
    await expect(check(twice as ProposedIncrement, ownRules)).resolves.toMatchObject({ kind: 'checked' })
    const different = {
      ...twice,
      evidence: { ...evidence, scrolls: [{ ...scroll, idSum: 'others' }, scroll] },
    }
    expect(await refusal(different, ownRules)).toMatch(/no other scroll found the same ones/)
    expect(await refusal({ ...twice, evidence }, ownRules)).toMatch(/no other scroll found the same ones/)
    const [response] = scroll?.end.received?.exchanges ?? []
    const received = { ...scroll?.end.received, exchanges: [{ ...response, at: (response?.at ?? 0) + 1 }] }
    const lasting = { ...scroll, end: { ...scroll?.end, received } }
    const again = { ...twice, evidence: { ...evidence, scrolls: [lasting, lasting] } }
    expect(await refusal(again, ownRules)).toMatch(
      /Scroll 2 of the window began before the previous one had ended/,
    )
  })

  it('may have a Date that an intermediary has repeated', async () => {
    const { evidence } = proposed()
    const { details } = evidence.clock as ReceivedResponse
    const date = details?.headers['date'] ?? ''
    const repeated = { ...evidence.clock, details: { ...details, headers: { date: `${date}, ${date}` } } }
    const set = { ...proposed(), evidence: { ...evidence, clock: repeated } } as ProposedIncrement
    await expect(check(set)).resolves.toMatchObject({ kind: 'checked' })
  })

  it.each([
    ['3', 'checked'],
    ['4', /reported 4 .* nothing shows that these are all/],
  ])('is short of a total of %s by less than a page, or is not published', async (total, expected) => {
    const [scroll] = evidenceOf(proposed(), 2).scrolls
    const short = {
      ...scroll,
      pages: scroll?.pages.map((page) => ({
        ...page,
        received: { ...page.received, exchanges: [{ ...page.received?.exchanges[0], total }] },
      })),
    }
    const evidence = { ...proposed().evidence, scrolls: [short, short] }
    const increments = { lookbackMinutes: 60, totals: 'check', totalTolerancePercent: 60 } as const
    const own = check({ ...proposed(), proof: 'within-tolerance', evidence } as ProposedIncrement, {
      rules: { ...set.rules, increments },
    })
    expect(await own.then(({ kind }) => kind, String)).toMatch(expected)
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
