import { stoppedCommand, stoppedText } from '../../functions/problems/chain-state.ts'
import { formatAge, formatDocuments, formatRoughDuration } from '../../functions/runtime/format.ts'
import { lastScrolled } from '../sync/run-bars.ts'
import type { EntityFact, StoppedFact } from './facts.ts'
import { type Finding, type LongshoreFixes, note, ok, problem, solvable } from './finding.ts'
import { type EntityFinding, groupFindings } from './group-findings.ts'
import { fixOfEmpty, fixOfFailed } from './run-fixes.ts'
import { maxAgeMs } from './schedule-findings.ts'

export function entityFindings(
  entities: readonly EntityFact[],
  { now, fixes }: { now: number; fixes: LongshoreFixes },
): Finding[] {
  if (entities.length === 0) return [note('entities', 'No entity is configured, so nothing is synced.')]
  const list = entities.flatMap((entity): EntityFinding[] => [
    { entity: entity.entity, ...snapshotFinding(entity, { now, fixes }) },
    ...partitionFindings(entity, fixes).map((finding) => ({
      entity: entity.entity,
      finding,
      group: undefined,
    })),
  ])
  return groupFindings(list, fixes)
}

function snapshotFinding(
  entity: EntityFact,
  { now, fixes }: { now: number; fixes: LongshoreFixes },
): Pick<EntityFinding, 'finding' | 'group'> {
  const { snapshot, running } = entity
  if (!snapshot) {
    const finding = unpublishedFinding(entity, fixes)
    // Nothing has been tried yet, so that one command resolves it for all of them.
    const isUnsynced = finding.level === 'problem' && !lastUnpublishedRun(entity)
    return { finding, group: isUnsynced ? 'unsynced' : undefined }
  }
  const finding = publishedFinding(entity, snapshot, { now, fixes })
  return { finding, group: finding.level === 'ok' && !running ? 'fresh' : undefined }
}

/** Why the last run continued without the configured partitions. Its snapshot is complete, so this is no problem. */
function partitionFindings(entity: EntityFact, { longshore }: LongshoreFixes): Finding[] {
  const reason = lastScrolled(entity)?.partitionsReason
  if (!reason) return []
  const text = `${entity.entity}: the last run was scrolled without partitions: ${reason}`
  return [{ ...note('entities', text), fix: longshore(`partitions ${entity.entity}`) }]
}

/** Published snapshots that have no change set. */
export const stoppedFindings = (stopped: readonly StoppedFact[], { longshore }: LongshoreFixes): Finding[] =>
  stopped.map(({ entity, chain }) =>
    solvable('entities', `${entity}: ${stoppedText(chain)}`, longshore(stoppedCommand(entity, chain))),
  )

function unpublishedFinding(entity: EntityFact, { longshore }: LongshoreFixes): Finding {
  const { entity: name, enabled, running } = entity
  const last = lastUnpublishedRun(entity)
  const lastText = last ? ` The last run ${describeEnd(last)}` : ''
  const text = `No snapshot of ${name} has been published.${lastText}${runningText(entity)}`
  if (running || !enabled) return note('entities', text)
  return problem('entities', text, unpublishedFix(entity, last, { longshore }))
}

function unpublishedFix(
  { entity }: EntityFact,
  last: EntityFact['runs'][number] | undefined,
  fixes: LongshoreFixes,
): string {
  if (!last) return fixes.longshore(`sync ${entity} --watch`)
  return last.status === 'refused' ? fixOfEmpty(entity, fixes) : fixOfFailed(last, fixes)
}

function publishedFinding(
  entity: EntityFact,
  { documents, publishedAt }: NonNullable<EntityFact['snapshot']>,
  { now, fixes: { longshore } }: { now: number; fixes: LongshoreFixes },
): Finding {
  const { entity: name, enabled, schedule, running } = entity
  const text = `${name}: ${formatDocuments(documents)}, published ${formatAge(publishedAt, now)}.`
  const sync = longshore(`sync ${name} --watch`)
  if (running) return ok('entities', `${text}${runningText(entity)}`)
  const last = lastUnpublishedRun(entity)
  if (last) {
    const fix =
      last.status === 'refused' ? longshore(`review ${last.runId}`) : fixOfFailed(last, { longshore })
    return problem('entities', `${text} The last run ${describeEnd(last)}`, fix)
  }
  const limitMs = maxAgeMs(schedule, now)
  if (enabled && now - Date.parse(publishedAt) > limitMs) {
    const stale = `This is too old for ${schedule} (limit ${formatRoughDuration(limitMs)}).`
    return problem('entities', `${text} ${stale}`, sync)
  }
  return ok('entities', text)
}

/** The last run that did not skip, if it did not publish. */
function lastUnpublishedRun({ runs }: EntityFact) {
  const last = lastScrolled({ running: null, runs })
  return last && ['failed', 'refused'].includes(last.status) ? last : undefined
}

function runningText({ running }: EntityFact): string {
  return running ? ` A run is in progress (${running.status}).` : ''
}

function describeEnd({ status, reason }: { status: string; reason: string | null }): string {
  const end = status === 'refused' ? 'was refused' : status
  return reason ? `${end}: ${reason}` : `${end}.`
}
