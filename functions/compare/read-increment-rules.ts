import type { DeliveredById } from '../chain/delivered-versions.ts'
import { protectedAfter } from '../chain/document-dates.ts'
import { readDelivered } from '../chain/read-delivered.ts'
import { hourMs } from '../runtime/durations.ts'
import { isCompactedPart, runOfPart } from '../state/changes/change-keys.ts'
import { incrementPartsOf, type SetManifest } from '../state/changes/changes.ts'
import { type ChangesLatest, chainSnapshotRun } from '../state/changes/changes-latest.ts'
import { timeOfRunId } from '../state/run/run.ts'
import type { CompareContext, CompareJob } from './context.ts'
import { coveredBy, type IncrementRules } from './records/increment-rules.ts'
import type { ComparableTip, Subject } from './reset.ts'

type Job = Pick<CompareJob, 'increments'> & Pick<Subject, 'target'>

/** What concerns the documents of increments; undefined if none has extended the chain. */
export async function readIncrementRules(
  { changes, log }: Pick<CompareContext, 'changes' | 'log'>,
  { chain, set }: ComparableTip,
  { target, increments }: Job,
): Promise<IncrementRules | undefined> {
  const { window, delivered, deliveredBefore } = chain
  if (!window) return undefined
  const source = { changes, log }
  const lookbackMinutes = increments?.lookbackMinutes ?? 0
  // A later window needs fewer versions than this snapshot, which may be older.
  const before =
    deliveredBefore?.key === delivered?.key ? [] : await readDelivered(source, { delivered: deliveredBefore })
  const versions = await readDelivered(source, { delivered })
  // A person has decided that readers go back to a snapshot that was published again.
  const isRepublished = target.republishedFrom !== undefined
  const after = isRepublished ? Number.POSITIVE_INFINITY : protectedAfter(target.openedAt, lookbackMinutes)
  const forgottenUntil = isComplete(versions, chain)
    ? protectedAfter(window.to, lookbackMinutes)
    : Number.POSITIVE_INFINITY
  return {
    protectedAfter: after,
    // What a rollback reverts is nothing that an increment has missed.
    covered: isRepublished ? undefined : coveredBy(window, chainSnapshotRun(chain)),
    delivered: new Map([...[...before].filter(([, { deliveredAt }]) => deliveredAt > after), ...versions]),
    windowEnds: await readWindowEnds(changes, set, forgottenUntil),
  }
}

/** Whether the object with the versions could be read. */
const isComplete = (versions: DeliveredById, { delivered }: Pick<ChangesLatest, 'delivered'>): boolean =>
  versions.size === (delivered?.versions ?? 0)

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
): Promise<IncrementRules['windowEnds']> {
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
