import { findDeployment, requireEntity } from '../../operator/deployment/deployment.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { defineCommand } from '../shell/command.ts'
import { readLimit, runsText } from '../sync/run-table.ts'

export const runsCommand = defineCommand({
  name: 'runs',
  summary: 'List the last runs of an entity',
  argument: '<ENTITY>',
  options: { '-L, --limit <N>': { summary: 'Maximum number of runs', default: '10' } },
  description: ['Runs are kept for 30 days after they end.'],
  examples: {
    'runs CL': 'List the last 10 runs of CL',
    'runs CL --limit 100': 'List more runs',
  },
  async run({ entity, values, target, terminal }) {
    const limit = readLimit(values.limit)
    const deployment = await findDeployment(target)
    requireEntity(deployment.configuration, entity)
    const runs = await openSyncs(deployment, terminal).listRuns(entity, limit)
    return { ok: true, text: runsText(runs, deployment.now()), data: { entity, runs } }
  },
})
