import type { ChangePart, SetManifest } from '../../../stored/changes/changes.ts'
import type { SincePosition } from './changes-query.ts'
import { formatCursor, maxLinks, type PartsCursor } from './page-cursor.ts'

export interface SlicedSet {
  readonly set: SetManifest
  readonly parts: readonly ChangePart[]
}

export interface Slice {
  readonly sets: readonly SlicedSet[]
  /** The relative URL of the following response. */
  readonly next: string | undefined
}

/**
 * As many of these consecutive sets as fit into one response. A set is split only if it does not fit into any.
 * `isLast`: whether the chain ends with them.
 */
export function sliceSets(
  sets: readonly SetManifest[],
  { since, limit, cursor }: SincePosition,
  isLast: (set: SetManifest) => boolean,
): Slice {
  const taken: SlicedSet[] = []
  let position = since
  let left = maxLinks
  for (const set of sets) {
    const offset = taken.length === 0 ? (cursor?.offset ?? 0) : 0
    const parts = set.parts.slice(offset, offset + left)
    const isCut = offset + parts.length < set.parts.length
    if (isCut && taken.length > 0) return { sets: taken, next: nextUrl(position, limit) }
    taken.push({ set, parts })
    if (isCut)
      return { sets: taken, next: nextUrl(since, limit, { runId: set.runId, offset: offset + parts.length }) }
    left -= parts.length
    position = set.runId
  }
  const last = sets.at(-1)
  return { sets: taken, next: !last || isLast(last) ? undefined : nextUrl(position, limit) }
}

function nextUrl(since: string, limit: number, cursor?: PartsCursor): string {
  const url = `?since=${since}&limit=${limit}`
  return cursor ? `${url}&cursor=${formatCursor(cursor)}` : url
}
