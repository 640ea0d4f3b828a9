import { readAcceptableChanges } from '../../stored/changes/acceptable-changes.ts'
import type { RefusedChanges } from '../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import type { FullProposal } from '../../stored/changes/proposal.ts'
import { isRefused } from '../../stored/join/guard.ts'
import { type Unacceptable, unacceptable } from '../../stored/snapshots/acceptable.ts'
import type { Latest } from '../../stored/snapshots/manifest.ts'
import type { CompareContext, CompareJob } from './context.ts'

/** What a person reviewed and accepted before the comparison. */
export type Review =
  | { readonly kind: 'none' }
  | { readonly kind: 'set'; readonly by: string; readonly refused: RefusedChanges }
  | { readonly kind: 'snapshot'; readonly by: string }

/** The review of the published snapshot; `unacceptable` if it is of a set that can no longer be published. */
export async function readReview(
  context: Pick<CompareContext, 'snapshots' | 'changes'>,
  { entity, request: { acceptance } }: CompareJob,
  now: { readonly latest: Latest; readonly chain: ChangesLatest | undefined },
): Promise<Review | Unacceptable> {
  if (!acceptance) return { kind: 'none' }
  const { reviewed, runId, by, refusedAt } = acceptance
  if (reviewed === 'snapshot') return runId === now.latest.runId ? { kind: 'snapshot', by } : { kind: 'none' }
  const found = await readAcceptableChanges(context, { ...now, entity, runId })
  if (found.kind === 'unacceptable') return found
  const { refused } = found
  if (refusedAt !== undefined && refusedAt !== refused.refusedAt) return unacceptable(refusedAgain(runId))
  return { kind: 'set', by, refused }
}

export const refusedAgain = (runId: string) =>
  `The change set of run ${runId} was refused again since it was reviewed. Review it again.`

/** Who accepted a set that the guard refuses otherwise. */
export function acceptedBy(
  review: Review,
  manifest: FullProposal,
  { maxDeletePercent }: CompareJob['changes'],
): string | undefined {
  if (review.kind === 'none') return undefined
  if (review.kind === 'set') return review.by
  return manifest.kind === 'changes' && isRefused({ ...manifest, maxDeletePercent }) ? review.by : undefined
}

/** Why a set is not the one that was reviewed, such as another configuration; undefined if it is. */
export function differenceOf(manifest: FullProposal, review: Review): string | undefined {
  if (review.kind !== 'set' || manifest.kind === review.refused.kind) return undefined
  const now = manifest.kind === 'reset' ? `a reset (${manifest.reason})` : `${manifest.deleted} deletes`
  return `The set would be ${now}, which is not what was reviewed. Start a new sync.`
}
