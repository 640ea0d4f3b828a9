import { findDeployment, requireEntity } from '../../operator/deployment/deployment.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { defineCommand } from '../shell/command.ts'
import { requireRunning } from '../sync/sync-request.ts'

export const cancelCommand = defineCommand({
  name: 'cancel',
  summary: "Cancel an entity's running sync",
  argument: '<ENTITY>',
  description: ['The published snapshot does not change.'],
  examples: { 'cancel CL': 'Cancel the running sync of CL' },
  async run({ entity, target, terminal }) {
    const deployment = await findDeployment(target)
    requireEntity(deployment.configuration, entity)
    const syncs = openSyncs(deployment, terminal)
    const runId = requireRunning(await syncs.read(entity), target)
    const run = await syncs.cancel(entity, runId)
    return { ok: true, text: `Cancelled run ${run.runId} of ${entity}.`, data: run }
  },
})
