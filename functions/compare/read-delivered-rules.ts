import type { DeliveredById, DeliveredVersion } from '../../stored/chain/delivered-versions.ts'
import { idHashOf, versionOf } from '../../stored/chain/delivered-versions.ts'
import { datesOf, protectedAfter } from '../../stored/chain/document-dates.ts'
import { readDelivered } from '../../stored/chain/part-writer.ts'
import { readPages } from '../../stored/chain/read-pages.ts'
import { partsOver } from '../../stored/chain/state-parts.ts'
import { chainSnapshotRun, incrementPartsOf } from '../../stored/changes/chain-facts.ts'
import { isCompactedPart, runOfPart } from '../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import { PageLines } from '../../stored/documents/stored-lines.ts'
import { timeOfRunId } from '../../stored/run/run-id.ts'
import { hourMs } from '../runtime/durations.ts'
import { type CompareContext, type CompareJob, damaged } from './context.ts'
import { coveredBy, type DeliveredRules } from './records/delivered-rules.ts'
import type { ComparedTip, Subject } from './reset.ts'

/** What concerns the documents of increments; undefined if none has extended the chain. */
export async function readDeliveredRules(
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
