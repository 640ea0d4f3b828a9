import { findDeployment, requireEntity } from '../../operator/deployment/deployment.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { defineCommand } from '../shell/command.ts'
import { requireCancellable } from '../sync/sync-request.ts'

export const cancelCommand = defineCommand({
  name: 'cancel',
  summary: "Cancel an entity's running sync or increment",
  argument: '<ENTITY>',
  description: [
    'The published snapshot does not change. An increment that its schedule started cannot be cancelled: it ends ' +
      'within minutes.',
  ],
  examples: { 'cancel CL': 'Cancel what is running of CL' },
  async run({ entity, target, terminal }) {
    const deployment = await findDeployment(target)
    requireEntity(deployment.configuration, entity)
    const syncs = openSyncs(deployment, terminal)
    const runId = requireCancellable(entity, await syncs.readRunning(entity), target)
    const run = await syncs.cancel(entity, runId)
    return { ok: true, text: `Cancelled run ${run.runId} of ${entity}.`, data: run }
  },
})
