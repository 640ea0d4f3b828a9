import { hash } from 'node:crypto'
import type { RangeProof } from '../../stored/run/range.ts'
import { rangesOf } from '../../stored/run/ranges-of-split.ts'
import type { FullRun, RunResult, SnapshotRun } from '../../stored/run/run.ts'
import type { Manifest, NamedObject } from '../../stored/snapshots/manifest.ts'
import {
  checkedManifestKey,
  evidenceKey,
  manifestKey,
  refusedKey,
  republishedManifest,
  resultOfManifest,
  runPrefix,
} from '../../stored/snapshots/manifest.ts'
import type { CheckRequest, CheckResult } from '../../stored/snapshots/publication.ts'
import { pick } from '../runtime/pick.ts'
import { countPages } from './check/count.ts'
import { Damaged } from './check/damage.ts'
import type { Evidence, RangeEvidence } from './check/evidence.ts'
import { decideProof } from './check/proof.ts'
import { filtersBetween, sumOf } from './check/ranges.ts'
import { checkAttempt, earlierAttempts, type RangeToCheck } from './check-attempt.ts'
import {
  checkListed,
  listObjects,
  pagesOf,
  type StoredChunk,
  type StoredObjects,
  Unfinished,
} from './chunks.ts'
import { damagedBy } from './damaged.ts'
import type { Publisher } from './ports.ts'
import { type Decided, describeProven } from './proven-run.ts'
import { type CheckedRun, readManifest, readPublished } from './read-stored.ts'

/** A check of one range, or of a whole run. */
export interface RequestedCheck extends CheckRequest {
  readonly range?: number | undefined
}

export type AnyCheckResult = CheckResult<RangeProof | RunResult>

/** Checks a range whose scroll has ended, or a run. Stores what it has checked, and the evidence of a proven run. */
export async function checkRun(publisher: Publisher, request: RequestedCheck): Promise<AnyCheckResult> {
  try {
    return await check(publisher, request)
  } catch (error) {
    if (error instanceof Unfinished) return { kind: 'checking', pages: error.pages }
    return damagedBy(error)
  }
}

async function check(
  publisher: Publisher,
  { entity, runId, range }: RequestedCheck,
): Promise<AnyCheckResult> {
  const run = await publisher.items.readRun(entity, runId)
  if (!run) throw new Damaged(`The run ${runId} of ${entity} has no item.`)
  const stored = await listObjects(publisher, runPrefix(entity, runId))
  if (run.kind === 'republication' || run.accepted) return recount(publisher, run, stored)
  return checkScrolled(publisher, run, { range, stored })
}

function rangesToCheck(run: FullRun, stored: StoredObjects): RangeToCheck[] {
  const { split } = run
  const filters = split.kind === 'ranges' ? filtersBetween(split.by, split.boundaries) : []
  const ranges = rangesOf(split)
  if (split.kind === 'ranges' && filters.length !== ranges.length)
    throw new Damaged(`The boundaries of the run define ${filters.length} ranges; it has ${ranges.length}.`)
  return ranges.map((range, index) => ({
    run,
    index: split.kind === 'ranges' ? index : undefined,
    range,
    where: filters[index],
    stored,
  }))
}

async function decide(publisher: Publisher, toCheck: RangeToCheck): Promise<Decided | AnyCheckResult> {
  const { run, index, range, where } = toCheck
  if (range.filter?.where !== where)
    throw new Damaged(
      `Range ${index ?? 0} has the filter ${range.filter?.where}; the boundaries define ${where}.`,
    )
  const checked = await checkAttempt(publisher, toCheck)
  const publishedIds = (await readPublished(publisher, run.entity))?.manifest.uniqueIds ?? null
  const rules = { tolerancePercent: run.plan.totalTolerancePercent, publishedIds }
  let earlier: RangeEvidence['earlier'] = []
  let decision = decideProof(checked, { ...rules, earlier })
  // Earlier attempts are counted only where they matter.
  if (decision.kind === 'unproven' && !checked.suspect) {
    earlier = await earlierAttempts(publisher, toCheck)
    decision = decideProof(checked, { ...rules, earlier })
  }
  if (decision.kind === 'unproven')
    return { ...decision, uniqueIds: checked.uniqueIds, suspect: checked.suspect }
  return { checked, evidence: { ...checked.evidence, publishedIds, proof: decision.proof, earlier } }
}

/** Checks one range, or all of them and the run. */
async function checkScrolled(
  publisher: Publisher,
  run: FullRun,
  { range, stored }: Pick<RequestedCheck, 'range'> & { readonly stored: StoredObjects },
): Promise<AnyCheckResult> {
  const ranges = rangesToCheck(run, stored)
  const decided: Decided[] = []
  for (const toCheck of range === undefined ? ranges : ranges.slice(range, range + 1)) {
    const one = await decide(publisher, toCheck)
    if ('kind' in one) return one
    decided.push(one)
  }
  const [first, ...others] = decided
  if (!first)
    throw new Damaged(`The run ${run.runId} has no ${range === undefined ? 'ranges' : `range ${range}`}.`)
  if (range !== undefined) return { kind: 'proven', found: foundIn(first) }
  const chunks = decided.flatMap(({ checked }) => checked.chunks)
  const received = sumOf(decided.map(({ checked }) => checked.count.received))
  const count =
    others.length === 0 ? first.checked.count : await countPages(() => pagesOf(publisher, chunks), received)
  return store(publisher, chunks, describeProven(publisher, run, { decided: [first, ...others], count }))
}

function foundIn({ checked: { count, total, openedAt }, evidence: { proof } }: Decided): RangeProof {
  return {
    proof,
    ...pick(count, 'documents', 'uniqueIds', 'received'),
    pages: count.pages.length,
    total: typeof total === 'number' ? total : null,
    openedAt,
  }
}

/** Stores the evidence, once, and the manifest that names it. */
async function store(
  publisher: Publisher,
  chunks: readonly StoredChunk[],
  { manifest, evidence }: { readonly manifest: Manifest; readonly evidence: Evidence | undefined },
): Promise<AnyCheckResult> {
  const { entity, runId } = manifest
  const etagOf = new Map(chunks.flatMap(({ pages }) => pages.map(({ page, etag }) => [page.key, etag])))
  const etags = manifest.pages.map(({ key }) => etagOf.get(key) ?? '')
  const named = evidence && { evidence: await storeEvidence(publisher, evidence) }
  const body = JSON.stringify({ manifest: { ...manifest, ...named }, etags } satisfies CheckedRun)
  await publisher.objects.put(checkedManifestKey(entity, runId), { body, type: 'application/json' })
  return { kind: 'proven', found: resultOfManifest(manifest) }
}

async function storeEvidence({ objects }: Publisher, evidence: Evidence): Promise<NamedObject> {
  const key = evidenceKey(evidence.entity, evidence.runId)
  const text = JSON.stringify(evidence, null, 1)
  await objects.putIf(key, 'absent', { body: text, type: 'application/json' })
  // A check that is repeated has the evidence of the first one.
  const stored = (await objects.read(key))?.bytes.toString() ?? ''
  const { pagesSha256 } = JSON.parse(stored) as Evidence
  if (pagesSha256 !== evidence.pagesSha256)
    throw new Damaged(
      `${key} is of pages with the SHA-256 ${pagesSha256}; those of the run have ${evidence.pagesSha256}.`,
    )
  return { key, bytes: Buffer.byteLength(stored), sha256: hash('sha256', stored) }
}

/** An accepted run publishes what was refused, a republication what its source has. Both are counted again. */
async function recount(
  publisher: Publisher,
  run: SnapshotRun,
  stored: StoredObjects,
): Promise<AnyCheckResult> {
  const { entity, runId } = run
  const isCopy = run.kind === 'republication'
  const key = isCopy ? manifestKey(entity, run.republishedFrom) : refusedKey(entity, runId)
  const listed = await readManifest(publisher, key)
  if (!listed) throw new Damaged(`The manifest ${key} does not exist.`)
  const manifest = isCopy ? republishedManifest(listed, run) : listed
  const chunks = await checkListed(publisher, manifest, stored)
  const count = await countPages(() => pagesOf(publisher, chunks), manifest.documents)
  for (const name of ['documents', 'uniqueIds'] as const)
    if (count[name] !== manifest[name])
      throw new Damaged(
        `The pages of run ${runId} have ${count[name]} ${name}; its manifest has ${manifest[name]}.`,
      )
  const evidence = isCopy ? await copiedEvidence(publisher, run, manifest) : undefined
  return store(publisher, chunks, { manifest, evidence })
}

/** The source's evidence under the run's own name; undefined if an older release published the source. */
async function copiedEvidence(
  { objects }: Publisher,
  { entity, runId }: SnapshotRun,
  { evidence, pages }: Manifest,
): Promise<Evidence | undefined> {
  const source = evidence && (await objects.read(evidence.key))
  if (!source) return undefined
  return {
    ...(JSON.parse(source.bytes.toString()) as Evidence),
    entity,
    runId,
    pagesSha256: hash('sha256', JSON.stringify(pages)),
  }
}
