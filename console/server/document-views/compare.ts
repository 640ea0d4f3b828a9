import { ProblemError } from '../../../functions/http/problem.ts'
import type { Manifest } from '../../../functions/state/snapshots/manifest.ts'
import type { ReadObject } from '../../../operator/aws/objects.aws.ts'
import type { RecordKind } from '../../../operator/changes/known-forms.ts'
import {
  type Compared,
  compareSnapshots,
  type Difference,
  type SnapshotPair,
} from '../../../operator/compare/compare-snapshots.ts'
import { summaryLines } from '../../../operator/compare/summary-lines.ts'
import type { PagePosition } from '../../../operator/history/find-document.ts'
import type { RecordRow } from '../../contract/change-sets.ts'
import type { ComparisonResponse } from '../../contract/snapshots.ts'
import { createPromiseCache } from '../promise-cache.ts'
import { snapshotSummary } from './kept-snapshots.ts'
import { linesOfPage } from './pages.ts'
import { changeRow, idOf, type ValueExtent } from './values.ts'

const maxRecords = 50
const maxCached = 2

/** Compares any two snapshots of an entity. The last comparisons are kept, since snapshots never change. */
export function createComparisons(read: ReadObject) {
  const cached = createPromiseCache<Compared>(maxCached)
  const compared = (pair: SnapshotPair) =>
    cached(`${pair.before.entity}/${pair.before.runId}/${pair.after.runId}`, () =>
      compareSnapshots(pair, read),
    )

  async function row(
    { before, after, ignored }: SnapshotPair,
    difference: Difference,
    shown: { readonly index: number; readonly extent: ValueExtent },
  ): Promise<RecordRow> {
    const lineAt = async (manifest: Manifest, position: PagePosition | undefined) =>
      position && (await linesOfPage(manifest, position.page, read))[position.line]
    const [old, current] = await Promise.all([
      lineAt(before, difference.before),
      lineAt(after, difference.after),
    ])
    const record = {
      kind: difference.kind,
      id: idOf(current ?? old ?? Buffer.alloc(0), after.idField, 'whole')?.text ?? 'null',
      before: old?.toString(),
      after: current?.toString(),
    }
    const path = `/entities/${encodeURIComponent(before.entity)}/compare/${before.runId}/${after.runId}/records/${shown.index}`
    return changeRow({ record, path, ignored }, shown.extent)
  }

  return {
    /** Some of the documents that differ, with the beginnings of their values. */
    async list(pair: SnapshotPair, from: number): Promise<ComparisonResponse> {
      const { differences, unchanged, summary } = await compared(pair)
      const count = (kind: RecordKind) => differences.filter((one) => one.kind === kind).length
      const records: RecordRow[] = []
      for (const [index, difference] of differences.slice(from, from + maxRecords).entries()) {
        records.push(await row(pair, difference, { index: from + index, extent: 'beginning' }))
      }
      return {
        before: snapshotSummary(pair.before),
        after: snapshotSummary(pair.after),
        counts: {
          created: count('created'),
          updated: count('updated'),
          deleted: count('deleted'),
          unchanged,
        },
        summary: summaryLines(summary),
        from,
        total: differences.length,
        records,
      }
    },

    /** One of them with its whole values. Throws `ProblemError` if there is none. */
    async read(pair: SnapshotPair, index: number): Promise<RecordRow> {
      const difference = (await compared(pair)).differences[index]
      if (!difference) throw new ProblemError('not-found', 'Fewer documents differ.')
      return row(pair, difference, { index, extent: 'whole' })
    },
  }
}
