import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { sumText } from '../../../functions/publisher/check/set/canonical.ts'
import { canonicalDocument } from '../../../stored/chain/canonical.ts'
import { refusedChangesKey } from '../../../stored/changes/change-keys.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import type { TableMetadata } from '../../../stored/iceberg/metadata.ts'
import {
  evidenceKey,
  type Manifest,
  refusedKey,
  schemaReportKey,
} from '../../../stored/snapshots/manifest.ts'
import type { TableLatest } from '../../../stored/tables/table.ts'
import type { DamagedWorld } from './damaged-world.ts'

/** Damages a world. Returns the key of the object that must be named. */
type Damage = (world: DamagedWorld) => Promise<string>
type Page = Manifest['pages'][number]
type Set = ChangesLatest['sets'][number]
type Window = ChangesLatest['window']

const published = 2
const previous = 1
const refused = 3
/** Places in the chain: reset, changes, two increments, changes, and two increments. */
const sets = { first: 1, increment: 2, full: 4, before: 5, tip: 6 } as const
const pages = 'tables/CL/pages.txt'
const parts = 'tables/CL.changes/parts.txt'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const dataFile = (w: DamagedWorld, run = published) => w.keys(`iceberg/CL/data/${w.run(run)}`)[0] ?? ''
const avro = (w: DamagedWorld, end: string) => w.keys(`iceberg/CL/metadata/${w.run(published)}`, end)[0] ?? ''
const refusedSet = (w: DamagedWorld) => refusedChangesKey('CL', w.run(published))
const editMetadata = (w: DamagedWorld, change: (current: TableMetadata) => object) =>
  w.edit<TableMetadata>(w.metadata, change)
const editSummary = (w: DamagedWorld, summary: object) =>
  editMetadata(w, ({ snapshots }) => ({
    snapshots: snapshots.map((one, index) =>
      index === snapshots.length - 1 ? { ...one, summary: { ...one.summary, ...summary } } : one,
    ),
  }))

const replacing = (text: string | RegExp, other: string) => (lines: string[]) =>
  lines.map((line) => line.replace(text, other))

const inRecords = (change: (lines: string[]) => string[]) => (w: DamagedWorld) =>
  w.editPart(sets.first, change)
const inWithheld = (change: object) => (w: DamagedWorld) =>
  w.editSet(sets.full, (m) => ({ withheldParts: m.withheldParts.map((part) => ({ ...part, ...change })) }))

const inManifest = (change: Parameters<DamagedWorld['editManifest']>[1]) => (w: DamagedWorld) =>
  w.editManifest(published, change)
const inChain = (change: Parameters<DamagedWorld['editChain']>[0]) => (w: DamagedWorld) => w.editChain(change)
const withRepeated = (lines: string[]) => lines.with(0, lines[1] ?? '')

const moveLatest = (w: DamagedWorld, runId: string) =>
  w.editLatest({ runId, manifest: `snapshots/CL/${runId}/manifest.json` })

/** The hash of the manifest in `latest.json` is that of the changed one. */
async function withHash(w: DamagedWorld, damaged: Promise<string>, latest: object = {}): Promise<string> {
  const key = await damaged
  await w.editLatest({ ...latest, sha256: sha256(w.body(key)) })
  return key
}

/** The sums that the records of an increment have now. */
function sumsOf(w: DamagedWorld, set: number) {
  const lines = gunzipSync(w.body(w.part(set)))
    .toString()
    .trimEnd()
    .split('\n')
  const records = lines.map((line) => JSON.parse(line) as { readonly id: string; readonly after: object })
  const sumOf = (texts: readonly string[]) =>
    sumText(texts.reduce((sum, text) => sum + BigInt(`0x${sha256(Buffer.from(text)).slice(0, 32)}`), 0n))
  const contents = lines.map((line) =>
    canonicalDocument(Buffer.from(line.slice(line.indexOf('"after":') + 8, -1)), new Set()),
  )
  return {
    recordsIdSum: sumOf(records.map(({ id }) => JSON.stringify(id))),
    recordsContentSum: sumOf(contents),
  }
}

/** The tip's manifest lacks these objects, and erasure has deleted its proposal. */
const inOldTip = (member: 'incrementParts' | 'withheldParts') => async (w: DamagedWorld) => {
  await w.remove(...w.keys(`changes/CL/${w.sets[sets.tip]}/proposal-`))
  return w.editSet(sets.tip, { [member]: [] })
}

/** The number of each row is that of the audit of the bucket. */
export const damages: readonly (readonly [row: number, damage: string, damage: Damage])[] = [
  [0, 'a bit of a page of the published snapshot', (w) => w.flip(w.page(published))],
  [1, 'a bit of a page of the previous snapshot', (w) => w.flip(w.page(previous))],
  [2, 'a bit of a page of the refused run', (w) => w.flip(w.page(refused))],
  [3, 'a bit of a manifest', (w) => w.flip(w.manifest(published))],
  [4, 'a manifest that is not JSON', (w) => w.put(w.manifest(published), '{"version')],
  [5, 'a latest.json that is not JSON', (w) => w.flip(w.latest, 0)],
  [6, 'a bit of pages.txt', (w) => w.flip(pages)],
  [
    7,
    'a count of the schema report',
    (w) =>
      w.edit<{ fields: { present: number }[] }>(
        schemaReportKey('CL', w.run(published)),
        ({ fields: [, field] }) => field && field.present--,
      ),
  ],
  [8, 'a bit of the records of a full set', (w) => w.flip(w.part(sets.first))],
  [9, 'a bit of the records of the tip', (w) => w.flip(w.part(sets.tip))],
  [10, 'a bit of the records of an older increment', (w) => w.flip(w.part(sets.increment))],
  [11, 'a bit of a withheld part', (w) => w.flip(w.withheld(sets.full))],
  [12, 'a bit of what increments have delivered', (w) => w.flip(w.chain.delivered?.key ?? '')],
  [13, 'a bit of parts.txt', (w) => w.flip(parts)],
  [14, 'a list of sets that is not JSON', (w) => w.flip(w.chainKey, 0)],
  [15, 'a manifest of a set that is not JSON', (w) => w.flip(w.setKey(sets.full), 0)],
  [16, 'a bit of a Parquet data page', (w) => w.flip(dataFile(w), 100)],
  [17, 'the end of a Parquet file', (w) => w.flip(dataFile(w), w.body(dataFile(w)).length - 1)],
  [18, 'a bit of an Iceberg manifest', (w) => w.flip(avro(w, '-m.avro'))],
  [19, 'a bit of an Iceberg manifest list', (w) => w.flip(avro(w, '-s.avro'))],
  [20, 'a page that is cut', (w) => w.put(w.page(published), w.body(w.page(published)).subarray(0, -9))],
  [21, 'a page that was deleted', (w) => w.remove(w.page(published))],
  [22, 'a page of an older snapshot that was deleted', (w) => w.remove(w.page(previous, 1))],
  [23, 'a page of another run', (w) => w.put(w.page(published), w.body(w.page(previous)))],
  [
    24,
    'two pages that changed places',
    async (w) => {
      const [one, other] = [w.body(w.page(published, 0)), w.body(w.page(published, 1))]
      await w.put(w.page(published, 1), one)
      return w.put(w.page(published, 0), other)
    },
  ],
  [25, 'a page listed twice', inManifest(({ pages }) => ({ pages: pages.with(1, pages[0] as Page) }))],
  [26, 'a line in place of another', (w) => w.editPage(published, withRepeated)],
  [27, 'a page without a line, all corrected', (w) => w.editPage(published, (lines) => lines.slice(1))],
  [
    28,
    'the same, and all counts corrected',
    async (w) => {
      await w.editPage(published, (lines) => lines.slice(1))
      const damaged = w.editManifest(published, { documents: 69, uniqueIds: 69, reportedTotal: 70 })
      return withHash(w, damaged, { documents: 69 }).then(() => w.latest)
    },
  ],
  [29, 'a changed document, its hash corrected', (w) => w.editPage(published, replacing('client', 'c1ient'))],
  [30, 'the same in the oldest snapshot', (w) => w.editPage(0, replacing('client', 'c1ient'))],
  [33, 'other white space, its hash corrected', (w) => w.editPage(published, replacing('{', '{ '))],
  [34, 'a document more in a manifest', (w) => w.editManifest(published, (m) => m.documents++)],
  [35, 'a unique id less in a manifest', (w) => w.editManifest(published, (m) => m.uniqueIds--)],
  [36, 'another total in an exact manifest', (w) => w.editManifest(previous, { reportedTotal: 72 })],
  [37, 'another proof', (w) => w.editManifest(previous, { proof: 'within-tolerance' })],
  [38, 'a proof without a total', inManifest({ proof: 'no-total', reportedTotal: null })],
  [39, 'another run in a manifest', (w) => w.editManifest(published, { runId: w.run(previous) })],
  [40, 'another time of opening', (w) => w.editManifest(published, { openedAt: '2026-01-01T00:00:00.000Z' })],
  [41, 'a filter that was not sent', inManifest({ query: { _where: 'id is not null' } })],
  [42, 'a manifest that was deleted', (w) => w.remove(w.manifest(published))],
  [43, 'a latest.json of the previous run', (w) => moveLatest(w, w.run(previous))],
  [44, 'a latest.json of the refused run', (w) => moveLatest(w, w.run(refused))],
  [45, 'a latest.json of a foreign run', (w) => moveLatest(w, '20991231T000000000Z-0123456789ab')],
  [
    46,
    'a refused run that is published',
    async (w) => {
      await w.put(w.manifest(refused), w.body(refusedKey('CL', w.run(refused))))
      const key = await w.remove(refusedKey('CL', w.run(refused)))
      const latest = { runId: w.run(refused), manifest: w.manifest(refused), documents: 20 }
      await withHash(w, Promise.resolve(w.manifest(refused)), latest)
      return key
    },
  ],
  [47, 'a set that is not listed', (w) => w.editChain(({ sets }) => ({ sets: sets.toSpliced(2, 1) }))],
  [
    48,
    'the same, and the next base corrected',
    async (w) => {
      const base = w.sets[1]
      await w.editChain((c) => ({
        sets: c.sets.toSpliced(2, 1).map((set, index) => (index === 2 ? { ...set, base } : set)),
      }))
      return w.editSet(3, { base })
    },
  ],
  [
    49,
    'two sets that changed places',
    (w) => w.editChain(({ sets }) => ({ sets: sets.toSpliced(2, 2, ...sets.slice(2, 4).toReversed()) })),
  ],
  [50, 'a tip moved back', inChain(({ sets }) => ({ sets: sets.slice(0, -1), tip: sets.at(-2)?.runId }))],
  [51, 'a list of sets that was deleted', (w) => w.remove(w.chainKey)],
  [
    52,
    'a record less, hash and counts corrected',
    async (w) => {
      await w.editPart(sets.first, (lines) => lines.filter((line) => !line.startsWith('{"op":"u"')))
      return w.editSet(sets.first, { updated: 0, unchanged: 69 }).then(() => w.setKey(sets.first))
    },
  ],
  [
    53,
    'a record of the tip less, everything corrected',
    async (w) => {
      await w.editPart(sets.tip, (lines) => lines.slice(1))
      await w.editChain((c) => Object.assign(c.sets.at(-1) ?? {}, { records: 2 }))
      return w.editSet(sets.tip, { records: 2, ...sumsOf(w, sets.tip) })
    },
  ],
  [
    54,
    'a record of the tip that changed, everything corrected',
    async (w) => {
      await w.editPart(sets.tip, replacing('client', 'c1ient'))
      return w.editSet(sets.tip, sumsOf(w, sets.tip))
    },
  ],
  [55, 'a record that is there twice, hash corrected', inRecords((lines) => [...lines, lines[0] ?? ''])],
  [56, 'another op, hash corrected', inRecords(replacing(/^\{"op":"d"(.*)"before"/, '{"op":"c"$1"after"'))],
  [57, 'an unknown op, hash corrected', inRecords(replacing('"op":"d"', '"op":"x"'))],
  [58, 'a withheld part that is lost', (w) => w.remove(w.withheld(sets.full))],
  [
    59,
    'a withheld part that is in no manifest',
    async (w) => {
      for (const set of [sets.before, sets.tip]) await w.editSet(set, { withheldParts: [] })
      return w.editSet(sets.full, { withheldParts: [] })
    },
  ],
  [60, 'another sum of contents', (w) => w.editSet(sets.full, { stateContentSum: '0'.repeat(32) })],
  [61, 'unchanged documents', (w) => w.editSet(sets.full, { unchanged: 0, rewritten: 69 })],
  [62, 'a window that ends a day later', (w) => w.editSet(sets.tip, { to: '2099-01-01T00:00:00Z' })],
  [
    63,
    'a table of the previous metadata',
    (w) => w.edit(w.tableKey, { runId: w.run(previous), metadata: w.keys('iceberg/CL/metadata/2-')[0] }),
  ],
  [
    64,
    'a table that has the previous snapshot',
    (w) => editMetadata(w, ({ snapshots }) => ({ 'current-snapshot-id': snapshots.at(-2)?.['snapshot-id'] })),
  ],
  [65, 'a data file that was deleted', (w) => w.remove(dataFile(w))],
  [66, 'a data file of the previous snapshot', (w) => w.put(dataFile(w), w.body(dataFile(w, previous)))],
  [67, 'a record less in the summary of the table', (w) => editSummary(w, { 'total-records': '69' })],
  [68, 'another run of a table', (w) => editSummary(w, { 'longshore.run-id': w.run(previous) })],
  [69, 'other counted absences', inWithheld({ countedAbsences: 0 })],
  [70, 'a withheld document that counts as delivered', inWithheld({ delivered: true })],
  [71, 'documents that increments missed', (w) => w.editSet(sets.full, { missedByIncrements: 7 })],
  [72, 'another end of the scroll', (w) => w.editManifest(published, { attempts: 2, pageSize: 5000 })],
  [73, 'other counts of an increment', (w) => w.editSet(sets.before, { older: 9, withoutId: 3 })],
  [74, 'another time of publication', (w) => w.editLatest({ publishedAt: '2099-01-01T00:00:00.000Z' })],
  [
    77,
    'a snapshot that was taken back altogether',
    async (w) => {
      await w.remove(...w.keys(`snapshots/CL/${w.run(published)}/`))
      const kept = w
        .keys(`snapshots/CL/${w.run(previous)}/a`)
        .map((key) => `s3://${w.stored.bucket}/${key}\n`)
      await w.put(pages, kept.join(''))
      return moveLatest(w, w.run(previous))
    },
  ],
  [78, 'all change sets deleted', (w) => w.remove(...w.keys('changes/CL/')).then(() => w.chainKey)],
  [79, 'the whole table deleted', (w) => w.remove(...w.keys('iceberg/CL/')).then(() => w.tableKey)],
  [81, 'a bit of the evidence', (w) => w.flip(evidenceKey('CL', w.run(published)))],
  [82, 'a bit of a check', (w) => w.flip(w.keys(`snapshots/CL/${w.run(published)}/check-a`)[0] ?? '', 2000)],
  [83, 'another filter, refused', (w) => w.edit(refusedKey('CL', w.run(refused)), { query: { a: 'b' } })],
  [84, 'another proof of the tip', (w) => w.editSet(sets.tip, { proof: 'within-tolerance' })],
  [85, 'other counts', inChain(({ sets: s }) => ({ sets: s.with(1, { ...s[1], created: 9 } as Set) }))],
  [86, 'a list of sets that is malformed', inChain(() => ({ sets: null }))],
  [91, 'a window that moved back', inChain((c) => ({ window: { ...c.window, to: '2020' } as Window }))],
  [92, 'a tip without the parts of increments', inOldTip('incrementParts')],
  [93, 'a tip without withheld parts', inOldTip('withheldParts')],
  [87, 'a column less in a table', (w) => w.edit<TableLatest>(w.tableKey, { columns: {} })],
  [88, 'a data file more in the summary of the table', (w) => editSummary(w, { 'total-data-files': '2' })],
  [89, 'a data file of an earlier table', (w) => w.remove(dataFile(w, previous))],
  [
    90,
    'a refused set that is not JSON',
    async (w) => {
      await w.put(
        refusedSet(w),
        JSON.stringify({ version: 1, runId: w.run(published), reason: 'It deletes.' }),
      )
      return w.put(refusedSet(w), '{')
    },
  ],
]
