import { formatCount, plural } from '../../functions/runtime/format.ts'
import type { Evidence } from '../../operator/erase/evidence.ts'
import { formatTable } from '../shell/text-table.ts'

/** What an erasure printed and whether nothing is left. */
export const erasedResult = (evidence: Evidence, columns?: number) => ({
  ok: evidence.removed?.left === 0,
  text: evidenceText(evidence, columns),
  data: evidence,
})

/** What was searched and found, and what happens to it. */
export function evidenceText(evidence: Evidence, columns?: number): string {
  const { entity, published, searched, found, removed, by, searchedAt, erasedAt } = evidence
  const snapshot = published
    ? `The published snapshot of ${entity} (run ${published.runId}, as of ${published.openedAt}) does not contain ${wantedText(evidence)}.`
    : `No snapshot of ${entity} is published.`
  const search = `Searched ${plural(searched.versions, 'version')} of objects (${formatCount(searched.bytes)} bytes) at ${searchedAt}: snapshots, change sets, refused runs and pages of other runs. Table files are known by the snapshots that they contain.`
  if (found.length === 0) return [snapshot, search, `Nothing contains ${wantedText(evidence)}.`].join('\n')
  const rows = found.map(({ kind, runId, found: containing, unreadable, versions }) => [
    kind,
    runId,
    containing === 0 && unreadable === 0 ? '' : String(containing),
    unreadable === 0 ? '' : String(unreadable),
    String(versions),
  ])
  const table = formatTable([['FOUND IN', 'RUN', 'CONTAIN IT', 'UNREADABLE', 'VERSIONS'], ...rows], {
    columns,
    optional: ['UNREADABLE', 'CONTAIN IT'],
  })
  const lines = [snapshot, search, '', table, '', chainTexts[evidence.chain]]
  if (!removed) return lines.join('\n')
  const deleted = `Deleted ${plural(removed.versions, 'version')} of objects and ${plural(removed.items, 'item')} of the state table, by ${by}, at ${erasedAt}.`
  return [...lines, deleted, leftText(removed.left), notSearched].join('\n')
}

/** `the document client-17`, or `documents with email=ann@example.com (2 ids: "a", "b")` */
function wantedText({ id, where, ids }: Pick<Evidence, 'id' | 'where' | 'ids'>): string {
  if (id !== undefined) return `the document ${id}`
  if (ids.length === 0) return `a document with ${where}`
  const named = ids.slice(0, maxNamed).join(', ')
  return `documents with ${where} (${plural(ids.length, 'id')}: ${named}${ids.length > maxNamed ? ', …' : ''})`
}

const maxNamed = 10

const chainTexts: Readonly<Record<Evidence['chain'], string>> = {
  unchanged: 'The chain of change sets continues.',
  shortened:
    'The chain of change sets begins after them: readers that have not applied them receive 410 and load the snapshot again.',
  reset:
    'The chain of change sets starts again with the next full sync: until then, readers that begin receive 410. Start a sync.',
}

const leftText = (left: number) =>
  left === 0
    ? 'Searched again: no version of an object contains it.'
    : `Searched again: ${plural(left, 'version')} written meanwhile contain it. Run the command again.`

const notSearched =
  'Not part of the bucket, and not searched: files that pull and other readers wrote, results of Athena queries, backups, and logs (docs/erasure.md).'
