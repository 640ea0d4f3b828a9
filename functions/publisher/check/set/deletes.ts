import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import { withoutIdText } from '../../../../stored/snapshots/without-id.ts'
import { formatCount, formatDocuments } from '../../../runtime/format-count.ts'

const alwaysAccepted = 10

/** Why the guard on deletes refuses a set; undefined if it does not. `maxPercent` is infinite if they are accepted. */
export function deletesRefusal({
  deleted,
  baseDocuments,
  maxPercent,
  target,
}: {
  readonly deleted: number
  readonly baseDocuments: number
  readonly maxPercent: number
  readonly target: Pick<Manifest, 'documents' | 'withoutId' | 'idField'>
}): string | undefined {
  if (deleted <= alwaysAccepted || deleted * 100 <= maxPercent * baseDocuments) return undefined
  const percent = ((deleted * 100) / baseDocuments).toFixed(1)
  const counts = `deletes ${formatCount(deleted)} of ${formatDocuments(baseDocuments)} (${percent}%)`
  const why = deleted <= (target.withoutId ?? 0) ? ` In its snapshot, ${withoutIdText(target)}` : ''
  return `The change set ${counts}; maxDeletePercent is ${maxPercent}.${why}`
}
