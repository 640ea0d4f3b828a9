import { readFileSync, writeFileSync } from 'node:fs'
import { commands } from '../cli/commands/index.ts'
import { reference } from '../cli/shell/reference.ts'
import { withOperationsTable } from '../operator/policy/operations-table.ts'

const docs = new URL('../docs/', import.meta.url)
const permissions = new URL('permissions.md', docs)

/** `npm run cli-reference` writes docs/cli.md from the command table, and the table of AWS calls in docs/permissions.md. */
writeFileSync(new URL('cli.md', docs), reference(commands))
writeFileSync(permissions, withOperationsTable(readFileSync(permissions, 'utf8')))
