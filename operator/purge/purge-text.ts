import { formatAge, formatDocuments, plural } from '../../functions/runtime/format.ts'
import type { Purge } from './purge.ts'

/** `a snapshot of 95 documents, published 2 d ago; 12 objects in 30 versions; 5 items of the state table` */
export function purgeText({ snapshot, objects: { keys, versions }, items }: Purge, now: number): string {
  const published = snapshot
    ? `a snapshot of ${formatDocuments(snapshot.documents)}, published ${formatAge(snapshot.publishedAt, now)}`
    : 'no published snapshot'
  const inVersions = versions.length > 0 ? ` in ${plural(versions.length, 'version')}` : ''
  return `${published}; ${plural(keys.length, 'object')}${inVersions}; ${plural(items.length, 'item')} of the state table`
}
