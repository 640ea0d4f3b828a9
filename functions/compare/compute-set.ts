import { absenceEvidence } from '../../stored/chain/absence.ts'
import type { DeliveredById, DeliveredVersion } from '../../stored/chain/delivered-versions.ts'
import { idHashOf, versionOf } from '../../stored/chain/delivered-versions.ts'
import { datesOf, protectedAfter } from '../../stored/chain/document-dates.ts'
import { PartWriter, readDelivered, storeDelivered } from '../../stored/chain/part-writer.ts'
import { readPages } from '../../stored/chain/read-pages.ts'
import { partsOver, stateParts } from '../../stored/chain/state-parts.ts'
import { chainSnapshotRun, incrementPartsOf } from '../../stored/changes/chain-facts.ts'
import { isCompactedPart, runOfPart } from '../../stored/changes/change-keys.ts'
import type { RefusedChanges, SetManifest } from '../../stored/changes/changes.ts'
import type { FullProposal } from '../../stored/changes/proposal.ts'
import { PageLines } from '../../stored/documents/stored-lines.ts'
import { timeOfRunId } from '../../stored/run/run-id.ts'
import { checkedEntries } from '../../stored/snapshots/checked-entries.ts'
import { manifestKey } from '../../stored/snapshots/manifest.ts'
import { hourMs } from '../runtime/durations.ts'
import { type ComparisonRules, compareState, type Deletes } from './compare.ts'
import { type CompareContext, type CompareJob, ComparisonFailed, damaged } from './context.ts'
import { contentAge } from './erase/content-age.ts'
import { coveredBy, type DeliveredRules } from './records/delivered-rules.ts'
import { readReviewedIds } from './records/reviewed.ts'
import { type ComparedTip, decideReset, type Subject, type Tip } from './reset.ts'
import type { Review } from './review.ts'

/** The run whose snapshot is compared with the tip. */
export interface SetToCompute {
  readonly runId: string
  readonly sha256: string | undefined
  readonly tip: Tip | undefined
  readonly review: Review
}

export type ComputedSet = RefusedSet | { readonly status: 'computed'; readonly manifest: FullProposal }

export interface RefusedSet
  extends Pick<RefusedChanges, 'kind' | 'base' | 'reason' | 'reviewedParts' | keyof Deletes> {
  readonly status: 'refused'
}

/** The change set that leads from the tip to the snapshot of the run. Its parts are stored, its manifest is not. */
export async function computeSet(
  context: CompareContext,
  job: CompareJob,
  { runId, sha256, tip, review }: SetToCompute,
): Promise<ComputedSet> {
  const { entity, changes, request } = job
  const target = await context.snapshots.readManifest(entity, runId)
  if (!target) throw new Error(`The manifest ${manifestKey(entity, runId)} is missing.`)
  // Deletes are accepted for the run that was started to accept them, not for a later one.
  const isOfRequest = (request.runId ?? runId) === runId
  const isAccepted = review.kind === 'set' || (request.acceptDeletes && isOfRequest)
  const maxDeletePercent = isAccepted ? 100 : changes.maxDeletePercent
  const subject: Subject = { target, sha256, ignore: changes.ignore, maxDeletePercent }
  const decision = decideReset(tip, subject)
  switch (decision.kind) {
    case 'reset': {
      const { reason } = decision
      context.log('INFO', 'chain reset', { entity, runId, reason })
      const head = { ...headOf(subject), base: null, kind: 'reset', reason } as const
      return { status: 'computed', manifest: { ...head, parts: [], withheldParts: [] } }
    }
    case 'refused': {
      const { deleted, baseDocuments, reason, tip } = decision
      return { status: 'refused', kind: 'reset', base: tip.set.runId, reason, deleted, baseDocuments }
    }
    case 'continue': {
      const { tip } = decision
      const rules = {
        delivered: await readDeliveredRules(context, tip, { ...job, ...subject }),
        reviewed: await readReviewed(context, review),
      }
      return changesSet(context, { ...subject, tip }, rules)
    }
  }
}

/** A reset would not help. */
const unreadable = (message: string): never => {
  throw new ComparisonFailed('other', message)
}

/** What bounds the deletes of an accepted set; nothing for a reset, which a person reviewed by its numbers. */
async function readReviewed(
  { changes, checkTime }: CompareContext,
  review: Review,
): Promise<ComparisonRules['reviewed']> {
  if (review.kind === 'snapshot') return { kind: 'snapshot' }
  const reviewedParts = review.kind === 'set' ? review.refused.reviewedParts : undefined
  if (!reviewedParts) return undefined
  const source = { readObject: changes.readObject, checkTime, damaged: unreadable }
  return { kind: 'set', ids: await readReviewedIds(source, reviewedParts) }
}

async function changesSet(
  context: CompareContext,
  comparison: Subject & { readonly tip: ComparedTip },
  { delivered, reviewed }: Pick<ComparisonRules, 'delivered' | 'reviewed'>,
): Promise<ComputedSet> {
  const { changes, checkTime } = context
  const { readObject } = changes
  const { listObjects } = context.snapshots
  const { target, ignore, tip, maxDeletePercent } = comparison
  const { entity, runId } = target
  const writer = (kind: 'records' | 'withheld' | 'reviewed') =>
    new PartWriter(async (body, sha256) => {
      checkTime()
      return changes.writePart({ entity, runId, kind, now: context.now() }, body, sha256)
    })
  const source = { readObject, checkTime, damaged }
  const compared = await compareState(
    {
      ...source,
      checkedEntries: (snapshot) =>
        checkedEntries({ listObjects, readObject, damaged: unreadable }, snapshot),
      records: writer('records'),
      reviewed: writer('reviewed'),
      withheld: { uncounted: writer('withheld'), counted: writer('withheld'), delivered: writer('withheld') },
    },
    {
      base: { snapshot: tip.snapshot, parts: stateParts(tip.snapshot, tip.set) },
      target,
      rules: { ignore, evidence: absenceEvidence(target), maxDeletePercent, delivered, reviewed },
    },
  )
  const base = tip.set.runId
  if (compared.kind === 'refused') return { ...compared, status: 'refused', kind: 'changes', base }
  const { kind, counts, audit, versions, carriesWithheld, ...rest } = compared
  const storedVersions =
    delivered && (versions.isChanged || delivered.versions.size !== tip.chain.delivered?.versions)
      ? await storeDelivered(changes, { entity, runId, now: context.now() }, versions.result())
      : undefined
  const age =
    context.eraseWithinDays === undefined
      ? {}
      : contentAge(tip.set, {
          baseRun: tip.snapshot.runId,
          runId,
          isNext: await isNext(context, { entity, base: tip.snapshot.runId, runId }),
          withheld: rest.withheldParts.length === 0 ? 'none' : carriesWithheld ? 'carried' : 'new',
        })
  return {
    status: 'computed',
    manifest: {
      ...headOf(comparison),
      base,
      ...(tip.setSha256 && { baseSha256: tip.setSha256 }),
      kind,
      ...counts,
      ...audit,
      ...rest,
      ...age,
      ...(storedVersions && { delivered: storedVersions }),
    },
  }
}

/**
 * Whether no snapshot was published between the two. Clean-up keeps the snapshot before the published one, so that a run
 * in between always has objects.
 */
async function isNext(
  { snapshots }: CompareContext,
  { entity, base, runId }: { readonly entity: string; readonly base: string; readonly runId: string },
): Promise<boolean> {
  for await (const run of snapshots.listRuns(entity)) if (run > base && run < runId) return false
  return true
}

function headOf({ target, sha256, ignore }: Subject) {
  const { entity, runId, idField } = target
  const snapshot = { snapshot: manifestKey(entity, runId), ...(sha256 && { snapshotSha256: sha256 }) }
  return { version: 1, entity, runId, idField, ignore, ...snapshot } as const
}

/** What concerns the documents of increments; undefined if none has extended the chain. */
async function readDeliveredRules(
  context: Pick<CompareContext, 'changes' | 'log' | 'checkTime'>,
  { chain, set }: ComparedTip,
  { target, increments, ignore }: Pick<CompareJob, 'increments'> & Pick<Subject, 'target' | 'ignore'>,
): Promise<DeliveredRules | undefined> {
  const { window, delivered, deliveredBefore } = chain
  if (!window) return undefined
  const lookbackMinutes = increments?.lookbackMinutes ?? 0
  // A later window needs fewer versions than this snapshot, which may be older.
  const before = deliveredBefore?.key === delivered?.key ? [] : await readDelivered(context, deliveredBefore)
  const versions = await readDelivered(context, delivered)
  // A person has decided that readers go back to a snapshot that was published again.
  const isRepublished = target.republishedFrom !== undefined
  const after = isRepublished ? Number.POSITIVE_INFINITY : protectedAfter(target.openedAt, lookbackMinutes)
  // Whether the object with the versions could be read.
  const isComplete = versions.size === (delivered?.versions ?? 0)
  const forgottenUntil = isComplete ? protectedAfter(window.to, lookbackMinutes) : Number.POSITIVE_INFINITY
  const windowEnds = await readWindowEnds(context.changes, set, forgottenUntil)
  const protectedEnds = new Map([...windowEnds].filter(([, end]) => end > after && end <= forgottenUntil))
  const forgotten = await readVersions(context, set, { windowEnds: protectedEnds, ignore })
  return {
    protectedAfter: after,
    lookbackMinutes,
    // What a rollback reverts is nothing that an increment has missed.
    covered: isRepublished ? undefined : coveredBy(window, chainSnapshotRun(chain)),
    versions: new Map([
      ...[...before].filter(([, { deliveredAt }]) => deliveredAt > after),
      ...forgotten,
      ...versions,
    ]),
    windowEnds,
  }
}

/**
 * What the windows of these parts delivered. The next snapshot that a person accepts may be as old as this one, and then
 * these parts belong to the chain no more.
 */
async function readVersions(
  { changes: { readObject }, checkTime }: Pick<CompareContext, 'changes' | 'checkTime'>,
  set: SetManifest,
  { windowEnds, ignore }: Pick<DeliveredRules, 'windowEnds'> & Pick<Subject, 'ignore'>,
): Promise<DeliveredById> {
  const parts = partsOver(set).filter(({ key }) => windowEnds.has(key))
  const [ignored, idField] = [new Set(ignore), Buffer.from(set.idField)]
  const versions = new Map<string, DeliveredVersion>()
  const pages = readPages({ readObject, checkTime, damaged }, parts, [...parts.keys()])
  for await (const { index, text } of pages) {
    const deliveredAt = windowEnds.get(parts[index]?.key ?? '') ?? 0
    for (const lines = new PageLines(text, idField); lines.next(); ) {
      const document = text.subarray(lines.start, lines.end)
      const version = versionOf(document, datesOf(document), { ignored, deliveredAt })
      versions.set(idHashOf(lines.identity()), version)
    }
  }
  return versions
}

/** From its start until the end of its window, with the difference of the clocks. */
const maxIncrementMs = hourMs

/**
 * The end of the window that delivered each part's versions, as far as these are not remembered. The last window forgot
 * those that were delivered until `forgottenUntil`: all that is known of the versions of a compacted part, which several
 * windows delivered. Of a part whose manifest has expired, the time of its run is known too.
 */
async function readWindowEnds(
  { readManifest }: Pick<CompareContext['changes'], 'readManifest'>,
  set: SetManifest,
  forgottenUntil: number,
): Promise<DeliveredRules['windowEnds']> {
  const keys = incrementPartsOf(set).map(({ key }) => key)
  const readEnd = async (runId: string) => {
    const manifest = (await readManifest(set.entity, runId))?.value
    if (manifest?.kind === 'increment') return [runId, Date.parse(manifest.to) * 1000] as const
    return [runId, Math.min(forgottenUntil, (timeOfRunId(runId) + maxIncrementMs) * 1000)] as const
  }
  const ends = new Map(await Promise.all([...new Set(keys.map(runOfPart))].map(readEnd)))
  return new Map(
    keys.map((key) => {
      const end = ends.get(runOfPart(key)) ?? forgottenUntil
      return [key, isCompactedPart(key) ? Math.min(end, forgottenUntil) : end]
    }),
  )
}
