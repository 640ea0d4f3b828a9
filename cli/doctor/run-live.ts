import { findDeployment, requireEntity, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'
import { checkLive } from '../../operator/live/check-live.ts'
import { liveCost, readQueriedBytes } from '../../operator/live/cost.ts'
import { requireScheduled } from '../../operator/schedules/find-schedule.ts'
import type { Waiting } from '../../operator/waiting.ts'
import type { CommandResult } from '../shell/command.ts'
import type { Terminal } from '../shell/terminal.ts'
import { liveReport } from './live-report.ts'

export interface LiveRequest extends Waiting {
  readonly entity: string
  readonly yes: boolean
  readonly target: Target
  readonly terminal: Terminal
}

/** Says what the checks of an entity do and cost, asks, and makes them. Throws `UsageError`, `CommandError` and `Interrupted`. */
export async function runLive({
  entity,
  yes,
  target,
  terminal,
  pause,
  signal,
}: LiveRequest): Promise<CommandResult> {
  if (target.kind === 'local') throw new UsageError('--live asks AWS, which npm start does not use.')
  const deployment = await findDeployment(target)
  const settings = requireEntity(deployment.configuration, entity)
  requireScheduled(deployment.configuration, entity)
  const cost = liveCost(await readQueriedBytes(deployment, settings))
  const plan = `This starts a sync of ${entity}, as its schedule does, and sets off one alarm for some seconds, which notifies its receivers. It takes at most ten minutes, and costs at most $${cost.toFixed(2)} in addition to the sync.`
  const isInteractive = terminal.isInteractive && !yes
  if (!yes && !terminal.isInteractive) {
    throw new CommandError(plan, { fix: 'without a terminal, start it with --yes' })
  }
  if (isInteractive && !(await terminal.confirm(`${plan} Continue?`))) {
    throw new CommandError('Nothing was started.')
  }
  const askPerson = async (question: string) => (isInteractive ? terminal.confirm(question) : undefined)
  const operation = { deployment, target, reporter: terminal, signal }
  const checks = await checkLive(entity, operation, { askPerson, pause })
  const [, , , region = ''] = deployment.stateMachineArn.split(':')
  return liveReport(checks, region, new Date(deployment.now()).toISOString())
}
