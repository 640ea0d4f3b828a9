import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Count, countPages } from '../../functions/publisher/check/count.ts'
import { Damaged } from '../../functions/publisher/check/damage.ts'
import {
  attemptName,
  checkKey,
  decodeCheckedPages,
  entriesByPage,
  listedName,
} from '../../functions/publisher/check/entries.ts'
import type { Evidence } from '../../functions/publisher/check/evidence.ts'
import { checkPage, type ListedPage } from '../../functions/publisher/check/page.ts'
import { readTotal } from '../../functions/publisher/check/proof.ts'
import { sumText } from '../../functions/publisher/check/set/canonical.ts'
import { pick } from '../../functions/runtime/pick.ts'
import type { SnapshotRun } from '../../stored/run/run.ts'
import {
  mergeReports,
  type SchemaReport,
  SchemaReportBuilder,
} from '../../stored/schema-report/schema-report.ts'
import {
  attemptOfPageKey,
  belongsTo,
  checkedManifestKey,
  isCheck,
  type Manifest,
  manifestKey,
  refusedKey,
  runPrefix,
  schemaReportKey,
  snapshotsPrefix,
} from '../../stored/snapshots/manifest.ts'
import { readEvidence } from '../snapshot/evidence.ts'
import { splitLines } from '../snapshot/lines.ts'
import {
  checkOutcome,
  type ExaminedFact,
  existing,
  expectEqual,
  jsonIn,
  manifestIn,
  type NeededBy,
} from './examination.ts'
import type { VerifiedEntity } from './stored-entity.ts'

/** A snapshot whose pages were read. */
export interface CountedSnapshot {
  readonly manifest: Manifest
  /** Of the manifest. */
  readonly sha256: string
  readonly count: Count<ListedPage> | undefined
}

/** What names the manifests of snapshots: `latest.json` and sets, with the hashes that they have of them. */
export interface NamedManifests {
  readonly published: string | undefined
  /** The snapshot that the next change set begins at. */
  readonly ofChain: string | undefined
  readonly hashes: ReadonlyMap<string, readonly string[]>
}

/** Checks all stored snapshots, those that were refused included. Returns them by their runs. */
export async function checkSnapshots(
  stored: VerifiedEntity,
  { published, ofChain, hashes }: NamedManifests,
): Promise<ReadonlyMap<string, CountedSnapshot>> {
  const { entity, list, readRuns } = stored
  const all = await Array.fromAsync(list(snapshotsPrefix(entity)), ({ key }) => key)
  const byRun = Map.groupBy(all, (key) => key.split('/')[2] ?? '')
  for (const needed of [published, ofChain])
    if (needed !== undefined && !byRun.has(needed)) byRun.set(needed, [])
  const runs = new Map((await readRuns([...byRun.keys()])).map((run) => [run.runId, run]))
  const counted = new Map<string, CountedSnapshot>()
  for (const [runId, keys] of byRun) {
    const run = runs.get(runId)
    const isNeeded = runId === published || runId === ofChain
    const isUnpublished = run?.status !== 'published' && !keys.includes(manifestKey(entity, runId))
    const isRefused = !isNeeded && (run?.status === 'refused' || isUnpublished)
    const key = isRefused ? refusedKey(entity, runId) : manifestKey(entity, runId)
    // A run in progress, one that failed, and one that 1.0.0 refused have neither.
    const isExpected = isNeeded || run?.status === 'published' || (run?.status === 'refused' && run.guarded)
    if (!keys.includes(key) && !isExpected) continue
    const others = runId === ofChain ? 'change-sets' : 'other-snapshots'
    const neededBy = runId === published ? undefined : others
    const named: SnapshotToCheck = { key, keys, runId, run, neededBy, hashes: hashes.get(runId) ?? [] }
    const snapshot = await checkSnapshot(stored, named)
    if (snapshot) counted.set(runId, snapshot)
  }
  return counted
}

interface SnapshotToCheck {
  /** Of its manifest, and of everything that is stored of the run. */
  readonly key: string
  readonly keys: readonly string[]
  readonly runId: string
  readonly run: SnapshotRun | undefined
  readonly neededBy: NeededBy | undefined
  /** Of the manifest. */
  readonly hashes: readonly string[]
}

const manifestMembers = ['entity', 'runId', 'documents', 'uniqueIds', 'pages'] as const

async function checkSnapshot(
  stored: VerifiedEntity,
  { key, keys, runId, run, neededBy, hashes }: SnapshotToCheck,
): Promise<CountedSnapshot | undefined> {
  const { entity, examination } = stored
  const checked = hashes.length === 0 ? await checkedManifest(stored, runId) : undefined
  const found = await examination.object({
    key,
    sha256: hashes[0],
    neededBy,
    check(bytes) {
      const manifest = manifestIn<Manifest>(bytes, key, manifestMembers)
      const { proof } = run?.status === 'published' ? run : manifest
      expectEqual([...factsOf(manifest, entity, runId), ['the proof', manifest.proof, proof]])
      if (checked && !isDeepStrictEqual(lasting(manifest), lasting(checked)))
        throw new Damaged('is not what was checked')
      return { manifest, sha256: hash('sha256', existing(bytes)) }
    },
  })
  if (!found) return undefined
  for (const other of hashes.filter((sha256) => sha256 !== found.sha256)) {
    const problem = `has the SHA-256 ${found.sha256}; what names it has ${other}`
    examination.wrong({ key, problem, neededBy })
  }
  const reportKey = schemaReportKey(entity, runId)
  const report = keys.includes(reportKey) ? new SchemaReportBuilder() : undefined
  const pages = await readPages(stored, { ...found, neededBy, report })
  const isWhole = pages.size === found.manifest.pages.length
  const count = isWhole ? await countOf(found.manifest, pages) : undefined
  await checkEvidence(stored, { ...found, count, key, neededBy })
  await checkEntries(stored, { ...found, keys, neededBy, pages })
  if (report && isWhole) await checkReport(stored, { ...found, neededBy, report })
  return { ...found, count }
}

/** What the publisher stored before a manifest that nothing names. Undefined if nobody can read it. */
async function checkedManifest(
  { entity, examination }: VerifiedEntity,
  runId: string,
): Promise<Manifest | undefined> {
  const key = checkedManifestKey(entity, runId)
  const check = (bytes: Buffer | undefined) =>
    jsonIn<{ manifest: Manifest }>(bytes, key, ['manifest']).manifest
  const found = await checkOutcome({ key, check }, await examination.read(key))
  return 'value' in found ? found.value : undefined
}

/** What a repeated check of the run finds again. */
const lasting = ({ pages, ...manifest }: Manifest) => ({
  ...pick(manifest, 'query', 'idField', 'openedAt', 'proof', 'documents', 'uniqueIds', 'reportedTotal'),
  pages: pages.map(({ sha256 }) => sha256),
})

const factsOf = ({ pages, ...manifest }: Manifest, entity: string, runId: string): ExaminedFact[] => [
  ['the entity', manifest.entity, entity],
  ['the run', manifest.runId, runId],
  [
    'a page of another run',
    pages.find(({ key }) => !key.startsWith(runPrefix(entity, runId)))?.key,
    undefined,
  ],
  ['different pages', new Set(pages.map(({ key }) => key)).size, pages.length],
  ['documents', manifest.documents, pages.reduce((sum, page) => sum + page.documents, 0)],
]

interface Own {
  readonly manifest: Manifest
  readonly neededBy: NeededBy | undefined
}

/** What was counted of a page. */
type Pages = ReadonlyMap<string, { readonly entries: Buffer; readonly withoutId: number }>

/** The pages that are intact. Their documents are added to the report. */
async function readPages(
  { examination, onRead }: VerifiedEntity,
  { manifest, neededBy, report }: Own & { readonly report: SchemaReportBuilder | undefined },
): Promise<Pages> {
  const pages = new Map<string, { readonly entries: Buffer; readonly withoutId: number }>()
  const expected = manifest.pages.map((page) => ({
    key: page.key,
    sha256: page.sha256,
    neededBy,
    check: (bytes: Buffer | undefined) => ({ page, ...pageOf(manifest, page, bytes) }),
  }))
  for await (const found of examination.objects(expected)) {
    if (!found) continue
    const { page, text, documents, ...counted } = found
    pages.set(page.key, counted)
    if (report) for (const line of splitLines(text)) report.add(line)
    onRead(documents)
  }
  return pages
}

const pageOf = ({ idField }: Manifest, page: ListedPage, bytes: Buffer | undefined) =>
  checkPage(bytes, { page, idField, received: undefined })

function countOf({ pages, documents }: Manifest, counted: Pages) {
  async function* read() {
    for (const page of pages)
      yield { page, ...(counted.get(page.key) ?? { entries: Buffer.alloc(0), withoutId: 0 }) }
  }
  return countPages(read, documents)
}

/** What was counted, the manifest and the evidence agree. */
async function checkEvidence(
  { examination }: VerifiedEntity,
  { manifest, key, count, neededBy }: Own & Pick<CountedSnapshot, 'count'> & Pick<SnapshotToCheck, 'key'>,
): Promise<void> {
  const named = manifest.evidence
  const intact = named ? await examination.object({ ...named, neededBy, check: existing }) : undefined
  const found = intact ? await readEvidence(manifest, async () => intact) : undefined
  if (found?.kind === 'damaged') examination.wrong({ ...found, neededBy })
  const evidence = found?.kind === 'intact' ? found.evidence : undefined
  for (const [what, is, expected] of countedFacts(manifest, count, evidence)) {
    const problem = `has ${what}: ${String(is)}; it should be ${String(expected)}`
    if (is !== expected) examination.wrong({ key, problem, neededBy })
  }
}

function countedFacts(
  { uniqueIds, proof, reportedTotal, idField, partitions }: Manifest,
  count: Count<ListedPage> | undefined,
  evidence: Evidence | undefined,
): ExaminedFact[] {
  const facts: ExaminedFact[] = []
  if (count) facts.push([`unique ids in the field ${idField}`, uniqueIds, count.uniqueIds])
  if (proof === 'exact' && !partitions) facts.push(['the total of an exact proof', reportedTotal, uniqueIds])
  if (!evidence) return facts
  facts.push(['unique ids, by its evidence', uniqueIds, evidence.uniqueIds])
  if (count) facts.push(['documents whose ids have a sum', sumText(count.idSum), evidence.idSum])
  const [range] = evidence.ranges
  if (evidence.coverage || !range) return facts
  const total = evidence.limits.totals === 'check' ? readTotal(range.total ?? undefined) : undefined
  facts.push(['the proof', proof, range.proof])
  facts.push(['the total', reportedTotal, typeof total === 'number' ? total : null])
  return facts
}

/** What the publisher has counted of these pages is still stored as it was. */
async function checkEntries(
  { examination }: VerifiedEntity,
  { manifest, keys, neededBy, pages }: Own & Pick<SnapshotToCheck, 'keys'> & { readonly pages: Pages },
): Promise<void> {
  const missing = new Set(manifest.evidence ? manifest.pages.map(({ key }) => key) : [])
  const belongs = belongsTo(manifest)
  const stored = keys.filter((key) => isCheck(key) && key.endsWith('.bin') && belongs(key))
  const folder = runPrefix(manifest.entity, manifest.runId)
  const isListed =
    manifest.republishedFrom || stored.some((key) => key.startsWith(`${folder}check-${listedName}`))
  const names = [...missing].map((key) => {
    const { range = '', attempt = 1 } = attemptOfPageKey(key) ?? {}
    return checkKey(folder, isListed ? listedName : attemptName(range, attempt), 1)
  })
  for (const key of new Set([...names, ...stored])) {
    const check = (bytes: Buffer | undefined) => {
      const decoded = decodeCheckedPages(existing(bytes))
      if (!decoded) throw new Damaged('cannot be read')
      for (const { page, entries } of entriesByPage(decoded)) {
        if (pages.get(page.key)?.entries.equals(entries) === false)
          throw new Damaged(`has other documents than ${page.key}`)
        missing.delete(page.key)
      }
      return true
    }
    // What is in it is not missing apart from that.
    if (!(await examination.object({ key, neededBy, check }))) missing.clear()
  }
  const [first] = missing
  if (first !== undefined) examination.wrong({ key: folder, problem: `has no check of ${first}`, neededBy })
}

/** The schema report is that of these documents. Lines that a later one supersedes are not in it. */
async function checkReport(
  { examination, entity }: VerifiedEntity,
  { manifest, neededBy, report }: Own & { readonly report: SchemaReportBuilder },
): Promise<void> {
  const { runId, documents, uniqueIds } = manifest
  const key = schemaReportKey(entity, runId)
  const expected: object = JSON.parse(JSON.stringify(mergeReports([report.finish()], { entity, runId })))
  const check = (bytes: Buffer | undefined) => {
    const found = jsonIn<SchemaReport>(bytes, key, ['version', 'documents', 'fields'])
    expectEqual([['documents', found.documents, uniqueIds]])
    // Earlier releases counted otherwise, and what counts as a map depends on how pages were grouped.
    const isWhole = found.loneSurrogates !== undefined && !found.truncated
    const isComparable = documents === uniqueIds && isWhole && !found.fields.some((field) => field.documents)
    if (isComparable && !isDeepStrictEqual(found, expected))
      throw new Damaged('has other counts than the documents')
  }
  await examination.object({ key, neededBy, check })
}
