import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pathWithOurNode } from '../processes.ts'
import { localhostLookup } from './checks/localhost-lookup.ts'
import type { CheckContext } from './context.ts'

const program = fileURLToPath(new URL('../../cli/longshore.mjs', import.meta.url))

/** Runs a command of this checkout with `--json` on a deployment. `keys`: of a user; of the account's owner if empty. */
export async function longshore(
  { run, emulator, folder, deployment }: CheckContext,
  args: string,
  keys: Readonly<Record<string, string>> = {},
): Promise<{ readonly printed: string; readonly code: number }> {
  const lookup = join(folder, 'lookup.mjs')
  writeFileSync(lookup, localhostLookup.js)
  const line = `node --import "$LOOKUP" "$PROGRAM" ${args} --json --config "$CONFIG" 2>"$CONFIG.err"; echo "exit $?"`
  const printed = await run({
    file: 'sh',
    arguments: ['-c', line],
    environment: {
      ...emulator.environment,
      ...keys,
      PATH: pathWithOurNode(),
      LOOKUP: lookup,
      PROGRAM: program,
      CONFIG: deployment.configurationFile,
    },
  })
  const [text = '', code] = printed.split(/exit (?=\d+\s*$)/)
  return { printed: text, code: Number(code) }
}
