import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Check } from '../check.ts'
import { entities } from '../upstream.ts'

const verifier = fileURLToPath(new URL('../../../examples/verify/verify.py', import.meta.url))

/** Runs after the checks that store something. */
export const verifierChecks: Check[] = [
  {
    name: 'examples/verify/verify.py finds no fault in a copy of the bucket',
    async run({ run, folder, deployment, emulator: { programs, environment } }) {
      const copy = join(folder, 'copy')
      const sync = ['s3', 'sync', '--delete', '--quiet', `s3://${deployment.bucket}`, copy]
      const audit = async () => {
        await run({ file: join(programs, 'aws'), arguments: sync, environment })
        const stored = new Set(readdirSync(join(copy, 'snapshots')))
        const names = entities.map(({ name }) => name).filter((name) => stored.has(name))
        return run({ file: join(programs, 'python'), arguments: [verifier, copy, ...names] })
      }
      // What is published meanwhile is only half in the first copy.
      assert.match(await audit().catch(audit), /^No fault in \d+ objects/)
    },
  },
]
