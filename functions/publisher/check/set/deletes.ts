import type { SetResult } from '../../../../stored/changes/publication.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import { withoutIdText } from '../../../../stored/snapshots/without-id.ts'
import { formatCount, formatDocuments } from '../../../runtime/format-count.ts'

const alwaysAccepted = 10

/** Why the guard on deletes refuses a set that is right otherwise. */
export type RefusedDeletes = Extract<SetResult, { kind: 'refused' }>

/** Whether the guard on deletes refuses a set. `maxPercent` is infinite if they are accepted. */
export function refusedDeletes(
  { deleted, baseDocuments }: Pick<RefusedDeletes, 'deleted' | 'baseDocuments'>,
  maxPercent: number,
  target: Pick<Manifest, 'documents' | 'withoutId' | 'idField'>,
): RefusedDeletes | undefined {
  if (deleted <= alwaysAccepted || deleted * 100 <= maxPercent * baseDocuments) return undefined
  const percent = ((deleted * 100) / baseDocuments).toFixed(1)
  const counts = `deletes ${formatCount(deleted)} of ${formatDocuments(baseDocuments)} (${percent}%)`
  const why = deleted <= (target.withoutId ?? 0) ? ` In its snapshot, ${withoutIdText(target)}` : ''
  const reason = `The change set ${counts}; maxDeletePercent is ${maxPercent}.${why}`
  return { kind: 'refused', reason, deleted, baseDocuments }
}
