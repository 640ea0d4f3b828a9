import { createExecutionStarter } from '../aws/executions.aws.ts'
import { type Deployment, longshoreCommand, type Target } from '../deployment.ts'
import { CommandError, failureOf, Interrupted } from '../shell/errors.ts'
import type { Terminal } from '../shell/terminal.ts'
import { openSyncs } from '../syncs.ts'

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
    const { message, fix = longshoreCommand(context.target, 'status') } = failureOf(error)
    throw new CommandError(`The credentials are stored, but the first syncs cannot be started: ${message}`, {
      fix,
      cause: error,
    })
  }
}

async function startMissing(
  { deployment, target, terminal }: FirstSyncsContext,
  mode: 'ask' | 'start',
): Promise<FirstSyncs> {
  const { entities } = await openSyncs(deployment, terminal).list()
  const missing = entities
    .filter(({ enabled, snapshot, running }) => enabled && !snapshot && !running)
    .map(({ entity }) => entity)
  if (missing.length === 0) return { started: [], text: [] }
  const names = missing.join(', ')
  const isWanted =
    mode === 'start' ||
    (terminal.isInteractive && (await terminal.confirm(`No snapshot yet: ${names}. Start their syncs now?`)))
  if (!isWanted) {
    const command = longshoreCommand(target, `sync ${missing[0]} --watch`)
    return { started: [], text: [`No snapshot yet: ${names}. To start a sync: ${command}`] }
  }
  const executions = createExecutionStarter(deployment.stateMachineArn)
  for (const entity of missing) await executions.start({ entity })
  return {
    started: missing,
    text: [`Started syncs: ${names}. To see their progress: ${longshoreCommand(target, 'status')}`],
  }
}
