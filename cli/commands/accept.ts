import { createExecutionStarter } from '../../operator/aws/executions.aws.ts'
import { openStores } from '../../operator/aws/objects.aws.ts'
import { operatorName } from '../../operator/deployment/caller.aws.ts'
import { findDeployment, longshoreCommand } from '../../operator/deployment/deployment.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'
import { acceptRefusal, isAcceptableWithChanges } from '../../operator/review/accept.ts'
import { findRefusal, type RefusalStores, type ReviewedRefusal } from '../../operator/review/review.ts'
import { openState, openSyncs } from '../../operator/sync/syncs.ts'
import { chainSnapshotRun } from '../../stored/changes/chain-facts.ts'
import { acceptedGuard } from '../../stored/run/run.ts'
import { requireRefusal } from '../review/find.ts'
import { defineCommand, requireYes } from '../shell/command.ts'

const published = { snapshot: 'Published the snapshot', changes: 'Published the change set' } as const

const alsoChanges =
  'Also publish its change set, if it deletes only documents that the review shows as missing?'

export const acceptCommand = defineCommand({
  name: 'accept',
  summary: 'Publish what a guard refused, exactly as it was reviewed',
  argument: '<RUN>',
  options: {
    '--with-changes': 'Also publish the change set of a refused snapshot',
    '-y, --yes': 'Publish without a prompt',
  },
  description: [
    'Publishes the snapshot of a refused run, or the change set that was refused after it. Review it first: ' +
      '`longshore review RUN`. The run and its event name the AWS identity that accepted it.',
    '--with-changes also accepts the change set of the snapshot, if it deletes only documents that the review ' +
      'showed. Without the option, accept asks. Nothing is published if a newer run has published since.',
  ],
  examples: {
    'accept 20260301T060000000Z-0123456789ab': 'Publish what was refused in this run',
    'accept 20260301T060000000Z-0123456789ab --with-changes': 'Publish a snapshot and its change set',
  },
  async run(invocation) {
    const { entity: word, values, target, terminal, pause, signal } = invocation
    requireYes(invocation, 'accept')
    const deployment = await findDeployment(target)
    const refusal = await requireRefusal(deployment, { word, target, terminal })
    const { entity, runId, guard, reason } = refusal
    if (values.withChanges && guard === 'changes')
      throw new UsageError(
        `The snapshot of run ${runId} is published, and its change set was refused. Accept that without --with-changes.`,
      )
    const stores = openStores(deployment.bucket)
    const isAsked = !values.yes && !values.withChanges
    const isOneDecision =
      isAsked &&
      (await isAcceptableWithChanges({ deployment, stores, state: openState(deployment.table) }, refusal))
    const what =
      guard === 'changes' ? 'change set' : values.withChanges ? 'snapshot and its change set' : 'snapshot'
    const question = `${reason}\nPublish this ${what} of ${entity}?`
    if (!values.yes && !(await terminal.confirm(question)))
      return { ok: false, text: 'Nothing was published.', data: { entity, runId, guard, published: false } }
    const withChanges = values.withChanges || (isOneDecision && (await terminal.confirm(alsoChanges)))
    const accepted = { entity, runId, ...acceptedGuard(guard, { ...refusal, withChanges }) }
    const caller = await operatorName(deployment)
    const executions = createExecutionStarter(deployment.stateMachineArn)
    await acceptRefusal({ executions, by: caller, pause, signal }, accepted)
    const run = await openSyncs(deployment, terminal).readRun(entity, runId)
    // What is still refused: the accepted change set, or the one that follows the accepted snapshot.
    const left = await findRefusal(stores, run)
    if (left && guard === 'changes')
      throw new CommandError(`The change set of run ${runId} of ${entity} was refused again.`, {
        fix: longshoreCommand(target, `review ${runId}`),
      })
    // Somebody else may have accepted the same at the same time.
    const by =
      (guard === 'snapshot' ? run.by : (await stores.changes.readManifest(entity, runId))?.value.by) ?? caller
    const lines = [
      `${published[guard]} of run ${runId} of ${entity}, accepted by ${by}.`,
      ...(left
        ? [`Its change set was refused, too. To review it: ${longshoreCommand(target, `review ${runId}`)}`]
        : []),
      ...(withChanges && (await isTip(stores, refusal)) ? ['Its change set was published, too.'] : []),
    ]
    return { ok: true, text: lines.join('\n'), data: { entity, runId, guard, by, published: true } }
  },
})

/** Whether the change sets end at the run. */
async function isTip(
  { changes }: RefusalStores,
  { entity, runId }: Pick<ReviewedRefusal, 'entity' | 'runId'>,
): Promise<boolean> {
  const chain = await changes.readLatest(entity)
  return chain !== undefined && chainSnapshotRun(chain.value) === runId
}
