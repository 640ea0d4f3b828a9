import { plural } from '../../functions/runtime/format.ts'
import type { ReportFact } from './facts.ts'
import { type Checked, note } from './finding.ts'

export const reportChecks = (facts: readonly ReportFact[]): Checked[] =>
  facts.flatMap(({ entity, loneSurrogates }) => {
    if (loneSurrogates === 0) return []
    const text = `${entity}: ${plural(loneSurrogates, 'document')} in the published snapshot ${loneSurrogates === 1 ? 'contains' : 'contain'} half of a surrogate pair, such as a text that was cut in the middle of an emoji. DuckDB, pandas and other readers refuse JSON with it.`
    const fix =
      'read it as docs/reading-snapshots.md shows, which also lists these documents, or correct them on the platform'
    return [note('entities', text, fix)]
  })
