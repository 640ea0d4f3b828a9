import assert from 'node:assert/strict'
import type { Check } from '../check.ts'
import { readLatest } from '../snapshot-proof.ts'

export const deploymentChecks: Check[] = [
  {
    name: 'a second deployment of the same finds nothing to change, and the keys and snapshots stay',
    async run(world) {
      const said = await world.deployment.deployAgain()
      for (const stack of ['Storage', 'Sync', 'Api', 'Monitoring']) {
        assert.match(said, new RegExp(`Longshore${stack} \\(no changes\\)`))
      }
      const { status } = await world.callApi({ path: '/api/logistics/pvt/configuration/docks/d%201%C3%A9' })
      assert.equal(status, 200)
      assert.equal((await readLatest(world, 'CL'))?.documents, 1_050)
    },
  },
]
