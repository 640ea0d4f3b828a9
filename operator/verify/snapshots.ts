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
import { type Evidence, idSumText } from '../../functions/publisher/check/evidence.ts'
import { checkPage, type ListedPage } from '../../functions/publisher/check/page.ts'
import { readTotal } from '../../functions/publisher/check/proof.ts'
import { pick } from '../../functions/runtime/pick.ts'
import type { SnapshotRun } from '../../functions/state/run/run.ts'
import {
  attemptOfPageKey,
  belongsTo,
  isCheck,
  type Manifest,
  manifestKey,
  refusedKey,
  runPrefix,
  schemaReportKey,
  snapshotsPrefix,
} from '../../functions/state/snapshots/manifest.ts'
import { manifestVersion, UnknownManifestVersion } from '../../functions/state/unknown-version.ts'
import {
  mergeReports,
  type SchemaReport,
  SchemaReportBuilder,
} from '../../functions/tables/schema-report/schema-report.ts'
import { readEvidence } from '../snapshot/evidence.ts'
import { splitLines } from '../snapshot/lines.ts'
import { existing, expectEqual, jsonOf, type NeededBy } from './examination.ts'
import type { StoredEntity } from './stored-entity.ts'

/** A snapshot whose pages were read: its manifest and what was counted. */
export interface CountedSnapshot {
  readonly manifest: Manifest
  /** Of the manifest. */
  readonly sha256: string
  /** Undefined if a page is damaged. */
  readonly count: Count<ListedPage> | undefined
  /** The entries of each page. */
  readonly entries: ReadonlyMap<string, Buffer>
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
  stored: StoredEntity,
  named: NamedManifests,
): Promise<ReadonlyMap<string, CountedSnapshot>> {
  const keys = new Map<string, Set<string>>()
  for await (const { key } of stored.list(snapshotsPrefix(stored.entity))) {
    const run = key.split('/')[2] ?? ''
    keys.set(run, (keys.get(run) ?? new Set()).add(key))
  }
  if (named.published !== undefined && !keys.has(named.published)) keys.set(named.published, new Set())
  const runs = new Map((await stored.readRuns([...keys.keys()])).map((run) => [run.runId, run]))
  const counted = new Map<string, CountedSnapshot>()
  for (const [runId, own] of keys) {
    const run = runs.get(runId)
    const others = runId === named.ofChain ? 'change-sets' : 'other-snapshots'
    const neededBy = runId === named.published ? undefined : others
    const isRefused =
      run?.status === 'refused' ||
      (run?.status !== 'published' && !own.has(manifestKey(stored.entity, runId)))
    const key = isRefused ? refusedKey(stored.entity, runId) : manifestKey(stored.entity, runId)
    // A run in progress, or one that failed, has neither.
    if (!own.has(key) && runId !== named.published && run?.status !== (isRefused ? 'refused' : 'published'))
      continue
    const snapshot = await checkSnapshot(stored, { key, runId, run, keys: own, neededBy, named })
    if (snapshot) counted.set(runId, snapshot)
  }
  return counted
}

interface SnapshotToCheck {
  /** Of its manifest. */
  readonly key: string
  readonly runId: string
  readonly run: SnapshotRun | undefined
  /** What is stored of the run. */
  readonly keys: ReadonlySet<string>
  readonly neededBy: NeededBy | undefined
  readonly named: NamedManifests
}

async function checkSnapshot(
  stored: StoredEntity,
  snapshot: SnapshotToCheck,
): Promise<CountedSnapshot | undefined> {
  const { examination } = stored
  const { key, runId, run, keys, neededBy, named } = snapshot
  const [sha256, ...others] = new Set(named.hashes.get(runId))
  const found = await examination.object({
    key,
    sha256,
    neededBy,
    check(bytes) {
      const manifest = manifestOf(bytes, key)
      expectOwn(stored, manifest, runId)
      expectRecorded(manifest, run)
      return { manifest, sha256: hash('sha256', existing(bytes)) }
    },
  })
  if (!found) return undefined
  for (const other of others)
    examination.wrong({ key, problem: `has the SHA-256 ${found.sha256}; a set has ${other}`, neededBy })
  const { manifest } = found
  const report = keys.has(schemaReportKey(stored.entity, runId)) ? new SchemaReportBuilder() : undefined
  const read = await checkPages(stored, manifest, { neededBy, report })
  const isRead = read.entries.size === manifest.pages.length
  const count = isRead ? await countOf(manifest, read) : undefined
  await checkEvidence(stored, { manifest, key, count, neededBy })
  await checkChecks(stored, { manifest, keys, entries: read.entries, neededBy })
  if (report && isRead) await checkReport(stored, { manifest, neededBy }, report)
  return { ...found, count, entries: read.entries }
}

function manifestOf(bytes: Buffer | undefined, key: string): Manifest {
  const manifest = jsonOf<Manifest>(bytes, key, [
    'version',
    'entity',
    'runId',
    'documents',
    'uniqueIds',
    'pages',
  ])
  if (manifest.version !== manifestVersion) throw new UnknownManifestVersion(key, manifest.version)
  return manifest
}

function expectOwn({ entity }: StoredEntity, manifest: Manifest, runId: string): void {
  const { pages, documents } = manifest
  const foreign = pages.find((page) => !page.key.startsWith(runPrefix(entity, runId)))
  expectEqual([
    ['the entity', manifest.entity, entity],
    ['the run', manifest.runId, runId],
    ['pages of another run', foreign?.key, undefined],
    ['different pages', new Set(pages.map(({ key }) => key)).size, pages.length],
    ['documents', documents, pages.reduce((sum, page) => sum + page.documents, 0)],
  ])
}

/** Items of runs expire after 30 days. */
function expectRecorded(manifest: Manifest, run: SnapshotRun | undefined): void {
  if (run?.status === 'published')
    expectEqual(
      (['proof', 'uniqueIds', 'documents'] as const).map(
        (name) => [`another ${name} than its run`, manifest[name], run[name]] as const,
      ),
    )
}

interface ReadPages {
  /** Of the pages that are intact. */
  readonly entries: ReadonlyMap<string, Buffer>
  readonly withoutId: ReadonlyMap<string, number>
}

async function checkPages(
  { examination, onRead }: StoredEntity,
  { pages, idField }: Manifest,
  {
    neededBy,
    report,
  }: { readonly neededBy: NeededBy | undefined; readonly report: SchemaReportBuilder | undefined },
): Promise<ReadPages> {
  const entries = new Map<string, Buffer>()
  const withoutId = new Map<string, number>()
  const expected = pages.map((page) => ({
    ...pick(page, 'key', 'sha256'),
    neededBy,
    check: (bytes: Buffer | undefined) => ({
      page,
      ...checkPage(bytes, { page, idField, received: undefined }),
    }),
  }))
  for await (const found of examination.objects(expected)) {
    if (!found) continue
    entries.set(found.page.key, found.entries)
    withoutId.set(found.page.key, found.withoutId)
    if (report) for (const line of splitLines(found.text)) report.add(line)
    onRead(found.documents)
  }
  return { entries, withoutId }
}

function countOf({ pages, documents }: Manifest, { entries, withoutId }: ReadPages) {
  async function* read() {
    for (const page of pages)
      yield {
        page,
        entries: entries.get(page.key) ?? Buffer.alloc(0),
        withoutId: withoutId.get(page.key) ?? 0,
      }
  }
  return countPages(read, documents)
}

interface WithNeed {
  readonly manifest: Manifest
  readonly neededBy: NeededBy | undefined
}

/** What was counted, the manifest and the evidence agree. */
async function checkEvidence(
  { examination }: StoredEntity,
  {
    manifest,
    key,
    count,
    neededBy,
  }: WithNeed & Pick<SnapshotToCheck, 'key'> & Pick<CountedSnapshot, 'count'>,
): Promise<void> {
  const found = await readEvidence(manifest, examination.read)
  if (found.kind === 'damaged' && found.key === manifest.evidence?.key) {
    const { sha256 } = manifest.evidence
    await examination.object({ key: found.key, sha256, neededBy, check: existing })
  } else if (found.kind === 'damaged') examination.wrong({ key, problem: found.problem, neededBy })
  const evidence = found.kind === 'intact' ? found.evidence : undefined
  for (const problem of contradictions(manifest, count, evidence))
    examination.wrong({ key, problem, neededBy })
}

/** What the manifest says that its pages or its evidence do not. */
function contradictions(
  { uniqueIds, proof, reportedTotal, idField }: Manifest,
  count: Count<ListedPage> | undefined,
  evidence: Evidence | undefined,
): string[] {
  const found: string[] = []
  if (count && count.uniqueIds !== uniqueIds)
    found.push(`has ${uniqueIds} unique ids; the documents have ${count.uniqueIds} in the field ${idField}`)
  if (proof === 'exact' && reportedTotal !== uniqueIds)
    found.push(`is exact with ${uniqueIds} unique ids; the platform reported ${reportedTotal}`)
  if (!evidence) return found
  if (evidence.uniqueIds !== uniqueIds)
    found.push(`has ${uniqueIds} unique ids; its evidence has ${evidence.uniqueIds}`)
  if (count && evidence.idSum !== idSumText(count.idSum))
    found.push(
      `has documents whose ids have the sum ${idSumText(count.idSum)}; its evidence has ${evidence.idSum}`,
    )
  const [range] = evidence.ranges
  if (evidence.coverage || !range) return found
  const total = evidence.limits.totals === 'check' ? readTotal(range.total ?? undefined) : undefined
  if (range.proof !== proof) found.push(`is ${proof}; its evidence is ${range.proof}`)
  if ((typeof total === 'number' ? total : null) !== reportedTotal)
    found.push(`has the total ${reportedTotal}; its evidence has ${range.total}`)
  return found
}

/** What the publisher has counted of these pages is still stored as it was. */
async function checkChecks(
  { examination }: StoredEntity,
  {
    manifest,
    keys,
    entries,
    neededBy,
  }: WithNeed & Pick<SnapshotToCheck, 'keys'> & Pick<CountedSnapshot, 'entries'>,
): Promise<void> {
  const missing = new Set(manifest.evidence ? manifest.pages.map(({ key }) => key) : [])
  const belongs = belongsTo(manifest)
  const stored = [...keys].filter((key) => isCheck(key) && key.endsWith('.bin') && belongs(key))
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
      for (const { page, entries: counted } of entriesByPage(decoded)) {
        if (entries.get(page.key)?.equals(counted) === false)
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
  { examination, entity }: StoredEntity,
  { manifest: { runId, documents, uniqueIds }, neededBy }: WithNeed,
  built: SchemaReportBuilder,
): Promise<void> {
  const key = schemaReportKey(entity, runId)
  const expected: object = JSON.parse(JSON.stringify(mergeReports([built.finish()], { entity, runId })))
  const check = (bytes: Buffer | undefined) => {
    const report = jsonOf<SchemaReport>(bytes, key, ['version', 'documents', 'fields'])
    expectEqual([['documents', report.documents, uniqueIds]])
    // Earlier releases counted otherwise, and what is left out depends on how pages were grouped.
    const isComparable = documents === uniqueIds && report.loneSurrogates !== undefined && !report.truncated
    if (isComparable && !isDeepStrictEqual(report, expected))
      throw new Damaged('has other counts than the documents')
  }
  await examination.object({ key, neededBy, check })
}
