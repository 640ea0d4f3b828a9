import { evidenceOf } from '../../functions/chain/absence.ts'
import type { AbsentRules } from '../../functions/chain/absent-document.ts'
import type { DeliveredById } from '../../functions/chain/delivered-versions.ts'
import { protectedAfter } from '../../functions/chain/document-dates.ts'
import { readDelivered } from '../../functions/chain/read-delivered.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { ChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import {
  type ChangePart,
  comparedSnapshotRun,
  incrementPartsOf,
  type WithheldPart,
} from '../../functions/state/changes/changes.ts'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import type { SnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import { readWaitingRefusal } from '../changes/waiting-refusal.ts'

/** What a guard refused: a snapshot, or the change set from the tip to it. */
export interface Refusal {
  readonly guard: 'snapshot' | 'changes'
  readonly entity: string
  readonly runId: string
  readonly reason: string
  /** The snapshot that readers have; undefined before the first publication. */
  readonly before: Manifest | undefined
  /** Documents that readers have although that snapshot lacks them. A change set deletes them too. */
  readonly withheld: readonly (ChangePart & Pick<WithheldPart, 'countedAbsences' | 'delivered'>)[]
  /** The records of increments since that snapshot, which readers have applied after those. */
  readonly increments: readonly ChangePart[]
  /** What increments delivered recently, including before that snapshot. */
  readonly delivered: DeliveredById
  /** Decide which documents that the refused snapshot lacks would be deleted. */
  readonly rules: AbsentRules
  readonly after: Manifest
}

export interface RefusalStores {
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest' | 'readRefused'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest' | 'readRefused' | 'readObject'>
  readonly entities: readonly Pick<EntitySettings, 'name' | 'increments'>[]
}

/** Undefined if nothing was refused in the run, or if what was refused is gone or has been published since. */
export async function findRefusal(
  { snapshots, changes, entities }: RefusalStores,
  { entity, runId, status, reason }: Pick<RunView, 'entity' | 'runId' | 'status' | 'reason'>,
): Promise<Refusal | undefined> {
  if (status === 'refused') {
    const [after, latest] = await Promise.all([
      snapshots.readRefused(entity, runId),
      snapshots.readLatest(entity),
    ])
    const before = latest && (await snapshots.readManifest(entity, latest.value.runId))
    const nothingElse = { withheld: [], increments: [], delivered: new Map(), rules: everyAbsenceDeletes }
    return after && { guard: 'snapshot', entity, runId, reason: reason ?? '', before, ...nothingElse, after }
  }
  const refused = await readWaitingRefusal(changes, entity, runId)
  if (!refused) return undefined
  const [before, set, after, chain] = await Promise.all([
    snapshots.readManifest(entity, comparedSnapshotRun(refused)),
    changes.readManifest(entity, refused.base),
    snapshots.readManifest(entity, runId),
    changes.readLatest(entity),
  ])
  const withheld = set?.value.withheldParts ?? []
  const increments = set ? incrementPartsOf(set.value) : []
  if (!after) return undefined
  const lookback = entities.find(({ name }) => name === entity)?.increments?.lookbackMinutes ?? 0
  const decided = {
    // Without the object the review counts a few documents as missing that the comparison keeps.
    delivered: await readDelivered({ changes, log: () => undefined }, chain?.value ?? {}),
    rules: { evidence: evidenceOf(after), protectedAfter: protectedAfter(after.openedAt, lookback) },
  }
  const replaced = { delivered: new Map(), rules: everyAbsenceDeletes }
  return {
    guard: 'changes',
    entity,
    runId,
    reason: refused.reason,
    before,
    withheld,
    increments,
    ...(refused.kind === 'reset' ? replaced : decided),
    after,
  }
}

/** Readers of a snapshot, or of a reset, have nothing but its documents. */
const everyAbsenceDeletes: AbsentRules = {
  evidence: { absences: 'proven', by: undefined },
  protectedAfter: Number.POSITIVE_INFINITY,
}
