import assert from 'node:assert/strict'
import type { Inspection } from '../../../operator/doctor/finding.ts'
import type { Check } from '../check.ts'
import { longshore } from '../command-line.ts'
import { executionEnd, startExecution } from '../executions.ts'
import { listKeys, readLatest } from '../snapshot-proof.ts'

const entity = 'Typed'

export const liveChecks: Check[] = [
  {
    name: 'doctor --live checks the API, the typed table and a sync with the permissions of an administrator, and keeps no results of Athena',
    async run(context) {
      const { account } = context
      const end = await executionEnd(context, await startExecution(context, { entity }))
      assert.equal(end.status, 'SUCCEEDED', end.cause)
      const before = await readLatest(context, entity)
      const policy = await longshore(context, 'policy --role administer')
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
