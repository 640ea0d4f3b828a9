import { readFileSync, writeFileSync } from 'node:fs'
import { commands } from '../cli/commands/index.ts'
import { reference } from '../cli/shell/reference.ts'
import { withOperationsTable } from '../operator/access/operations-table.ts'
import { withFixTables, withMetricsTable } from '../operator/problems/fix-tables.ts'

const docs = new URL('../docs/', import.meta.url)
const rewrite = (page: string, change: (text: string) => string) => {
  const file = new URL(page, docs)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

/** `npm run check -- cli-reference` writes docs/cli.md from the command table, and tables of code in other pages. */
writeFileSync(new URL('cli.md', docs), reference(commands))
rewrite('permissions.md', withOperationsTable)
rewrite('runbook.md', withFixTables)
rewrite('logs-and-metrics.md', withMetricsTable)
