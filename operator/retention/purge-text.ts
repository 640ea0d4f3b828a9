import { formatAge, formatDocuments, plural } from '../../functions/runtime/format.ts'
import type { Purge } from './purge.ts'

/** How many objects and versions of them a purge deletes, and how many items. */
export const purgeCounts = ({ versions, items }: Pick<Purge, 'versions' | 'items'>) => ({
  objects: new Set(versions.map(({ key }) => key)).size,
  versions: versions.length,
  items: items.length,
})

/** `a snapshot of 95 documents, published 2 d ago; 12 objects in 30 versions; 5 items of the state table` */
export function purgeText({ snapshot, ...found }: Purge, now: number): string {
  const published = snapshot
    ? `a snapshot of ${formatDocuments(snapshot.documents)}, published ${formatAge(snapshot.publishedAt, now)}`
    : 'no published snapshot'
  const { objects, versions, items } = purgeCounts(found)
  const inVersions = versions > 0 ? ` in ${plural(versions, 'version')}` : ''
  return `${published}; ${plural(objects, 'object')}${inVersions}; ${plural(items, 'item')} of the state table`
}
