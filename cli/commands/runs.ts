import { findDeployment, longshoreCommand, requireEntity } from '../../operator/deployment/deployment.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { defineCommand } from '../shell/command.ts'
import { incrementsText, readLimit, runsText } from '../sync/run-table.ts'

export const runsCommand = defineCommand({
  name: 'runs',
  summary: 'List the last runs of an entity',
  argument: '<ENTITY>',
  options: {
    '-L, --limit <N>': { summary: 'Maximum number of runs', default: '10' },
    '--increments': { summary: 'List increments instead of full syncs' },
  },
  description: [
    'Below the table are the reason for which a run ended, its phases, repeated attempts, waits of a minute or more ' +
      'and faults. Runs are kept for 30 days.',
    '--increments lists those that delivered records, failed or were cancelled, and the first of several that were ' +
      'skipped for one reason.',
  ],
  examples: {
    'runs CL': 'List the last 10 runs of CL',
    'runs CL --limit 100': 'List more runs',
    'runs CL --increments': 'List the last 10 increments of CL',
  },
  async run({ entity, values, target, terminal }) {
    const limit = readLimit(values.limit)
    const deployment = await findDeployment(target)
    requireEntity(deployment.configuration, entity)
    const syncs = openSyncs(deployment, terminal)
    if (values.increments) {
      const runs = await syncs.listIncrements(entity, limit)
      return {
        ok: true,
        text: incrementsText(runs, deployment.now(), terminal.columns),
        data: { entity, runs },
      }
    }
    const runs = await syncs.listRuns(entity, limit)
    const hasIncrements = deployment.configuration.entities.some(
      ({ name, increments }) => name === entity && increments,
    )
    const hint = hasIncrements
      ? `\n\nTo list increments: ${longshoreCommand(target, `runs ${entity} --increments`)}`
      : ''
    return {
      ok: true,
      text: runsText(runs, deployment.now(), terminal.columns) + hint,
      data: { entity, runs },
    }
  },
})
