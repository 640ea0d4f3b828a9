import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LiveCheck } from '../../../operator/live/live-check.ts'
import { pathWithOurNode } from '../../processes.ts'
import type { Check } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { executionEnd, startExecution } from '../executions.ts'
import { listKeys, readLatest } from '../snapshot-proof.ts'
import { localhostLookup } from './localhost-lookup.ts'

const program = fileURLToPath(new URL('../../../cli/longshore.mjs', import.meta.url))
const entity = 'Typed'

/** What the emulator does as AWS does. */
const supported = [
  'the API refuses an unsigned call',
  'the API accepts a signed call with an encoded letter',
  'the API accepts a signed call with an encoded space, percent sign and é',
  'Glue returns the columns of a table as sent',
  'Glue has the columns of the typed table',
  'a schedule fires',
  "an execution's identity is what events name",
  'a log group receives lines',
  'nothing is left behind',
]

export const liveChecks: Check[] = [
  {
    name: 'doctor --live asks what the emulator can do, names what it cannot, publishes as the schedule does and leaves nothing behind',
    async run(context) {
      const { deployment, account } = context
      const end = await executionEnd(context, await startExecution(context, { entity }))
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const before = await readLatest(context, entity)
      const raised = async () => {
        const query = { AlarmNamePrefix: `${deployment.name}-`, StateValue: 'ALARM' }
        const { MetricAlarms = [] } = await account.cloudWatch('DescribeAlarms', query)
        return (MetricAlarms as { AlarmName: string }[]).map(({ AlarmName }) => AlarmName)
      }
      const raisedBefore = await raised()
      const policy = await longshore(context, 'policy --role administer', {})
      const { accessKeyId, secretAccessKey } = await account.createUser('live', JSON.parse(policy.printed))
      const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }

      const unconfirmed = await longshore(context, `doctor --live ${entity}`, keys)
      assert.equal(unconfirmed.code, 1)
      assert.match(unconfirmed.printed, /starts a sync of Typed.*costs at most \$0\.02/)

      const { printed, code } = await longshore(context, `doctor --live ${entity} --yes`, keys)
      const { checks } = JSON.parse(printed) as { checks: LiveCheck[] }
      const withOutcome = (outcome: LiveCheck['outcome']) =>
        checks.filter((one) => one.outcome === outcome).map(({ name }) => name)
      assert.deepEqual(withOutcome('as-expected').toSorted(), supported.toSorted(), printed)
      assert.deepEqual(withOutcome('not-asked'), ['the mail of the alarm arrives'])
      const others = checks.filter(({ outcome }) => outcome === 'not-supported')
      assert.equal(others.length, checks.length - supported.length - 1, printed)
      assert.equal(code, 0, printed)
      assert.doesNotMatch(printed, /000000000000/)

      assert.notEqual((await readLatest(context, entity))?.runId, before?.runId)
      assert.deepEqual(await listKeys(context, 'iceberg/longshore-live/'), [])
      // Other checks may have raised some before.
      assert.deepEqual(
        (await raised()).filter((name) => !raisedBefore.includes(name)),
        [],
      )
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
