import { createExecutionStarter } from '../../operator/aws/executions.aws.ts'
import type { Deployment, Target } from '../../operator/deployment/deployment.ts'
import { Interrupted } from '../../operator/errors.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import type { Terminal } from '../shell/terminal.ts'
import {
  notStartedError,
  notStartedText,
  questionText,
  startedText,
  withoutSnapshot,
} from './missing-snapshots.ts'

interface FirstSyncsContext {
  readonly deployment: Deployment
  readonly target: Target
  readonly terminal: Terminal
}

interface FirstSyncs {
  readonly started: readonly string[]
  readonly text: readonly string[]
}

/**
 * Starts a sync of every scheduled entity without a snapshot: their first scheduled runs were skipped while the
 * credentials were not set. Without a terminal, `ask` starts none.
 */
export async function startFirstSyncs(
  context: FirstSyncsContext,
  mode: 'ask' | 'start',
): Promise<FirstSyncs> {
  try {
    return await startMissing(context, mode)
  } catch (error) {
    if (error instanceof Interrupted) throw error
    throw notStartedError(error, context.target)
  }
}

async function startMissing(
  { deployment, target, terminal }: FirstSyncsContext,
  mode: 'ask' | 'start',
): Promise<FirstSyncs> {
  const { entities } = await openSyncs(deployment, terminal).list()
  const missing = withoutSnapshot(entities)
  if (missing.length === 0) return { started: [], text: [] }
  const isWanted =
    mode === 'start' || (terminal.isInteractive && (await terminal.confirm(questionText(missing))))
  if (!isWanted) return { started: [], text: [notStartedText(missing, target)] }
  const executions = createExecutionStarter(deployment.stateMachineArn)
  for (const entity of missing) await executions.start({ entity })
  return { started: missing, text: [startedText(missing, target)] }
}
