import { writeFileSync } from 'node:fs'
import { commands } from '../cli/commands/index.ts'
import { reference } from '../cli/shell/reference.ts'

/** `npm run cli-reference` writes docs/cli.md from the command table. */
writeFileSync(new URL('../docs/cli.md', import.meta.url), reference(commands))
