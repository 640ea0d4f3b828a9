import type { HistoryContext } from '../../../operator/history/document-states.ts'
import { readHistory } from '../../../operator/history/versions.ts'
import type { HistoryResponse } from '../../contract/history.ts'
import { stored } from './pages.ts'
import { documentRow, fieldChange } from './values.ts'

/** What is known of a document, with the beginnings of its values. */
export async function historyOf(
  context: HistoryContext,
  entity: string,
  id: string,
): Promise<HistoryResponse> {
  const { current, versions } = await readHistory(context, entity, id)
  const row = current && stored(current.manifest, current.found.position, current.found.line)
  return {
    id,
    document: row ? documentRow(row, 'beginning') : null,
    versions: versions.map(({ runId, source, kind, changes }) => ({
      runId,
      source,
      kind,
      changes: changes.map((change) => fieldChange(change, 'beginning')),
    })),
  }
}
