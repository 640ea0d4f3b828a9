import { formatCount, formatDocuments } from '../../functions/runtime/format.ts'
import type { Manifest } from '../snapshots/manifest.ts'
import { withoutIdText } from '../snapshots/without-id.ts'

const alwaysAcceptedDeletes = 10

/** Why a change set is not published; undefined if it may be published. Who shows it adds the commands. */
export function refusal({
  deleted,
  baseDocuments,
  maxDeletePercent,
  target,
}: {
  readonly deleted: number
  readonly baseDocuments: number
  readonly maxDeletePercent: number
  /** The snapshot that the set leads to. */
  readonly target: Pick<Manifest, 'documents' | 'withoutId' | 'idField'>
}): string | undefined {
  if (!isRefused({ deleted, baseDocuments, maxDeletePercent })) return undefined
  const percent = ((deleted * 100) / baseDocuments).toFixed(1)
  const counts = `deletes ${formatCount(deleted)} of ${formatDocuments(baseDocuments)} (${percent}%)`
  const why = deleted <= (target.withoutId ?? 0) ? ` In its snapshot, ${withoutIdText(target)}` : ''
  return `The change set ${counts}; maxDeletePercent is ${maxDeletePercent}.${why}`
}

export const isRefused = (set: {
  readonly deleted: number
  readonly baseDocuments: number
  readonly maxDeletePercent: number
}): boolean =>
  set.deleted > alwaysAcceptedDeletes && set.deleted * 100 > set.maxDeletePercent * set.baseDocuments
