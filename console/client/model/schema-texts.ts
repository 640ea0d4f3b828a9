import type { ReportedFieldRow, TableRow } from '../../contract/schema.ts'
import { formatCount } from './format.ts'

export const tableTexts: Readonly<Record<TableRow['state'], string>> = {
  current: 'matches the published snapshot',
  pending: 'being built',
  behind: 'behind the published snapshot',
  unlisted: 'matches the published snapshot, but is not in Glue',
  none: 'no snapshot yet',
  off: 'no columns',
}

/** `all`, or the share of the documents that have a field. */
export function presentText({ present }: Pick<ReportedFieldRow, 'present'>, documents: number): string {
  if (present >= documents) return 'all'
  const percent = (present * 100) / documents
  return percent < 0.1 ? formatCount(present) : `${percent.toFixed(1)}%`
}

/** `string 12, null 3`; one type alone has no count. */
export function typesText({ types, nulls, timestamps }: ReportedFieldRow): string {
  const seen = [...types, ...(nulls > 0 ? [{ type: 'null', count: nulls }] : [])].map((each) =>
    each.type === 'string' && timestamps === each.count ? { ...each, type: 'timestamp' } : each,
  )
  if (seen.length === 1) return seen[0]?.type ?? ''
  return seen.map(({ type, count }) => `${type} ${formatCount(count)}`).join(', ')
}
