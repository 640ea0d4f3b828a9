import { problemKinds } from '../../functions/problems/problem-table.ts'
import { knownFixes } from '../../functions/problems/run-fixes.ts'
import { glueFixes } from '../../functions/problems/table-state.ts'
import { metricTable } from '../../functions/runtime/metric-table.ts'
import { markdownTable, withGenerated } from '../text/generated-tables.ts'
import { kindTexts } from './kind-texts.ts'

/** Names in quotation marks as Markdown has them. */
const asCode = (text: string) => text.replaceAll(/"([^"]+)"|'([\w.]+)'/g, '`$1$2`')

/** docs/runbook.md with what resolves each kind of problem, failed runs and tables that are not in Glue, as the code has it. */
export const withFixTables = (page: string): string =>
  withGenerated(page, [
    markdownTable(
      ['kind', 'what it means', 'what to do'],
      problemKinds.map((kind) => [`\`${kind}\``, ...kindTexts[kind]]),
    ),
    markdownTable(
      ['what happened', 'what to do'],
      knownFixes.map(({ when, action }) => [when, asCode(action('ENTITY'))]),
    ),
    markdownTable(
      ['error', 'what to do'],
      Object.entries(glueFixes).map(([error, fix]) => [`\`${error}\``, `${fix}.`]),
    ),
  ])

/** docs/logs-and-metrics.md with the metrics that the code has. */
export const withMetricsTable = (page: string): string =>
  withGenerated(page, [
    markdownTable(
      ['metric', 'meaning'],
      Object.entries(metricTable).map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
  ])
