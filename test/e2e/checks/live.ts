import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Inspection } from '../../../operator/doctor/finding.ts'
import { pathWithOurNode } from '../../processes.ts'
import type { Check } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { executionEnd, startExecution } from '../executions.ts'
import { listKeys, readLatest } from '../snapshot-proof.ts'
import { localhostLookup } from './localhost-lookup.ts'

const program = fileURLToPath(new URL('../../../cli/longshore.mjs', import.meta.url))
const entity = 'Typed'

export const liveChecks: Check[] = [
  {
    name: 'doctor --live checks the API, the typed table and a sync with the permissions of an administrator, and keeps no results of Athena',
    async run(context) {
      const { account } = context
      const end = await executionEnd(context, await startExecution(context, { entity }))
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const before = await readLatest(context, entity)
      const policy = await longshore(context, 'policy --role administer', {})
      const { accessKeyId, secretAccessKey } = await account.createUser('live', JSON.parse(policy.printed))
      const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }

      const { printed, code } = await longshore(context, `doctor --live ${entity} --yes`, keys)
      const { problems, findings } = JSON.parse(printed) as Inspection
      assert.deepEqual(problems, [], printed)
      const found = findings.map(({ level, about }) => `${level} ${about}`)
      // The emulator names no work group for a query, so it denies the query.
      assert.deepEqual(
        found,
        ['ok api', 'ok api', 'ok api', 'ok tables', 'unknown tables', 'ok runs'],
        printed,
      )
      assert.equal(code, 2, printed)

      assert.notEqual((await readLatest(context, entity))?.runId, before?.runId)
      assert.deepEqual(await listKeys(context, 'iceberg/longshore-live/'), [])
    },
  },
]

async function longshore(
  { run, emulator, folder, deployment }: CheckContext,
  args: string,
  keys: Readonly<Record<string, string>>,
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
