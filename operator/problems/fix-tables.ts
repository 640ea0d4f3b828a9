import { knownFixes } from '../../functions/problems/run-fixes.ts'
import { glueFixes } from '../../functions/problems/table-state.ts'
import { tableText, withGenerated } from '../text/generated-tables.ts'

/** Names in quotation marks as Markdown has them. */
const asCode = (text: string) => text.replaceAll(/"([^"]+)"|'([\w.]+)'/g, '`$1$2`')

/** docs/runbook.md with what resolves failed runs and tables that are not in Glue, as the code has it. */
export const withFixTables = (page: string): string =>
  withGenerated(page, [
    tableText(
      ['what happened', 'what to do'],
      knownFixes.map(({ when, action }) => [when, asCode(action('ENTITY'))]),
    ),
    tableText(
      ['error', 'what to do'],
      Object.entries(glueFixes).map(([error, fix]) => [`\`${error}\``, `${fix}.`]),
    ),
  ])
