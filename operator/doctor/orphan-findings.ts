import { formatAge, formatDocuments } from '../../functions/runtime/format.ts'
import type { OrphanedData } from '../purge/stored-entities.ts'
import type { Inspected } from './facts.ts'
import { type Finding, type LongshoreFixes, note } from './finding.ts'

/** Data that no run replaces and no retention deletes. Keeping it may be intended, so this is no problem. */
export function orphanFindings(
  orphans: Inspected<readonly OrphanedData[]>,
  { now, fixes: { longshore } }: { now: number; fixes: LongshoreFixes },
): Finding[] {
  if ('notDeployed' in orphans) return []
  if ('failure' in orphans) {
    return [note('entities', `Cannot look for data of entities that are not configured: ${orphans.failure}`)]
  }
  return orphans.value.map((orphan) => ({
    ...note('entities', orphanText(orphan, now)),
    fix: `to delete it for good: ${longshore(`purge ${orphan.entity}`)}`,
  }))
}

/** `PR is not configured, but still has stored data: 95 documents, published 2 d ago.` */
export function orphanText({ entity, snapshot }: OrphanedData, now: number): string {
  const content = snapshot
    ? `${formatDocuments(snapshot.documents)}, published ${formatAge(snapshot.publishedAt, now)}`
    : 'no published snapshot'
  return `${entity} is not configured, but still has stored data: ${content}.`
}
