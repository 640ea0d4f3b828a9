import { acceptRefusal } from '../../operator/accept/accept.ts'
import { createExecutionStarter } from '../../operator/aws/executions.aws.ts'
import { operatorName } from '../../operator/deployment/caller.aws.ts'
import { findDeployment, longshoreCommand } from '../../operator/deployment/deployment.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'
import { findRefusal } from '../../operator/review/refusal.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { openRefusals, requireRefusal } from '../review/find.ts'
import { defineCommand } from '../shell/command.ts'

const published = {
  snapshot: 'Published the snapshot',
  changes: 'Published the change set',
} as const

export const acceptCommand = defineCommand({
  name: 'accept',
  summary: 'Publish what a guard refused, exactly as it was reviewed',
  argument: '<RUN>',
  options: { '-y, --yes': 'Publish without a prompt' },
  description: [
    'Publishes the snapshot of a refused run, or the change set that was refused after the run was published, without ' +
      'another scroll. Review it first with `longshore review RUN`. The run, its log line and its event name who accepted ' +
      'it: the AWS identity of the caller.',
    'The change set that follows an accepted snapshot has its own guard. Nothing is published if a newer run has ' +
      'published in the meantime, or if what was refused is gone.',
  ],
  examples: {
    'accept 20260301T060000000Z-0123456789ab': 'Publish what was refused in this run',
    'accept 20260301T060000000Z-0123456789ab --yes': 'Publish it without a prompt',
  },
  async run({ entity: word, values, target, terminal, pause, signal }) {
    if (!values.yes && !terminal.isInteractive)
      throw new UsageError('Without a terminal, accept needs --yes.')
    const deployment = await findDeployment(target)
    const refusal = await requireRefusal(deployment, { word, target, terminal })
    const { entity, runId, guard, reason } = refusal
    const question = `${reason}\nPublish this ${guard === 'snapshot' ? 'snapshot' : 'change set'} of ${entity}?`
    if (!values.yes && !(await terminal.confirm(question)))
      return { ok: false, text: 'Nothing was published.', data: { entity, runId, guard, published: false } }
    const by = await operatorName(deployment)
    const executions = createExecutionStarter(deployment.stateMachineArn)
    await acceptRefusal({ executions, by, pause, signal }, refusal)
    const run = await openSyncs(deployment, terminal).readRun(entity, runId)
    // What is still refused: the accepted change set, or the one that follows the accepted snapshot.
    const left = await findRefusal(openRefusals(deployment), run)
    if (left && guard === 'changes')
      throw new CommandError(`The change set of run ${runId} of ${entity} was refused again.`, {
        fix: longshoreCommand(target, `logs ${runId}`),
      })
    const lines = [
      `${published[guard]} of run ${runId} of ${entity}, accepted by ${by}.`,
      ...(left
        ? [`Its change set was refused, too. To review it: ${longshoreCommand(target, `review ${runId}`)}`]
        : []),
    ]
    return { ok: true, text: lines.join('\n'), data: { entity, runId, guard, by, published: true } }
  },
})
