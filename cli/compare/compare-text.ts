import { formatCount, formatDocuments } from '../../functions/runtime/format.ts'
import { escapeHidden } from '../../functions/runtime/hidden-characters.ts'
import type { Compared } from '../../operator/compare/compare-snapshots.ts'
import { summaryLines } from '../../operator/compare/summary-lines.ts'
import { formatTable } from '../shell/text-table.ts'

interface Side {
  readonly runId: string
  readonly documents: number
  readonly openedAt: string
}

export interface Sides {
  readonly entity: string
  readonly before: Side
  readonly after: Side
}

export function countsOf({ differences, unchanged }: Pick<Compared, 'differences' | 'unchanged'>) {
  const count = (kind: Compared['differences'][number]['kind']) =>
    differences.filter((one) => one.kind === kind).length
  return { created: count('created'), updated: count('updated'), deleted: count('deleted'), unchanged }
}

/** Both snapshots, the numbers of documents that differ, and what changed by field and value. */
export function comparisonText({ entity, before, after }: Sides, compared: Compared): string {
  const counts = countsOf(compared)
  const lines = summaryLines(compared.summary).map(escapeHidden)
  return [
    `${entity}: ${formatDocuments(before.documents)} as of ${before.openedAt}, then ${formatDocuments(after.documents)} as of ${after.openedAt}.`,
    formatTable([
      Object.keys(counts).map((name) => name.toUpperCase()),
      Object.values(counts).map(formatCount),
    ]),
    ...(lines.length > 0 ? [lines.join('\n')] : []),
  ].join('\n\n')
}
