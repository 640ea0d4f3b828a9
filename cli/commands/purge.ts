import { findDeployment, longshoreCommand } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { openPurge, planPurge, purge } from '../../operator/retention/purge.ts'
import { purgeCounts, purgeText } from '../../operator/retention/purge-text.ts'
import { defineCommand } from '../shell/command.ts'

export const purgeCommand = defineCommand({
  name: 'purge',
  summary: 'Delete the data of an entity that is no longer configured',
  argument: '<ENTITY>',
  options: { '-y, --yes': 'Delete without a prompt' },
  description: [
    'Deletes snapshots, change sets and tables with all versions, the table in Glue, and the runs. They cannot be ' +
      'restored. Prints what it will delete, and asks for the name of the entity.',
    'Refuses an entity that is configured or deployed, and one with a run or an execution in progress.',
  ],
  examples: { 'purge ENTITY': 'Delete the data of an entity after you have entered its name' },
  async run({ entity, values, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    const context = openPurge({ deployment, target, reporter: terminal, signal })
    const plan = await planPurge(context, entity)
    const text = purgeText(plan, deployment.now())
    if (!values.yes) {
      if (!terminal.isInteractive) {
        throw new CommandError(`This deletes the data of ${entity} for good: ${text}.`, {
          fix: longshoreCommand(target, `purge ${entity} --yes`),
        })
      }
      const answer = await terminal.ask({
        message: `This deletes the data of ${entity} for good: ${text}. Enter ${entity} to delete it`,
        // Enter alone is No, as in every question.
        findError: (given) =>
          given === entity || given === '' ? undefined : `Enter ${entity}, or nothing to keep the data.`,
      })
      if (answer === '') return { ok: false, text: 'Nothing was deleted.', data: { entity, deleted: false } }
    }
    await purge(context, plan)
    return {
      ok: true,
      text: `Deleted the data of ${entity}: ${text}.`,
      data: { entity, snapshot: plan.snapshot, ...purgeCounts(plan) },
    }
  },
})
