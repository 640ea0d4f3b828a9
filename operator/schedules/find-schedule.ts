import type { Configuration } from '../../lib/config.ts'
import {
  type Deployment,
  findDeployment,
  longshoreCommand,
  requireEntity,
  type StacksTarget,
  type Target,
} from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import type { DeployedSchedule } from './schedule-store.aws.ts'
import { readSchedules } from './schedules.ts'

/**
 * The schedules of an entity as they are deployed: that of its full syncs, and that of its increments if there is one.
 * Throws `CommandError` if the first is missing.
 */
export async function findSchedules(
  entity: string,
  target: Target,
): Promise<readonly [full: DeployedSchedule, ...increments: DeployedSchedule[]]> {
  const { deployment, target: stacks } = await findScheduled(entity, target)
  return schedulesOf(entity, await readSchedules(deployment.configuration.name), stacks)
}

/** The deployment of an entity that has a schedule by its configuration. Throws `CommandError`. */
export async function findScheduled(
  entity: string,
  target: Target,
): Promise<{ readonly deployment: Deployment; readonly target: StacksTarget }> {
  if (target.kind === 'local') {
    const fix = `start a sync by hand: ${longshoreCommand(target, `sync ${entity}`)}`
    throw new CommandError('npm start runs the schedules of its configuration. There is nothing to repair.', {
      fix,
    })
  }
  const deployment = await findDeployment(target)
  requireEntity(deployment.configuration, entity)
  requireScheduled(deployment.configuration, entity)
  return { deployment, target }
}

/** Throws `CommandError` if the entity has no schedule by its configuration. */
export function requireScheduled({ entities }: Pick<Configuration, 'entities'>, entity: string): void {
  if (entities.find(({ name }) => name === entity)?.enabled) return
  throw new CommandError(`${entity} has no schedule: the configuration has \`enabled: false\`.`, {
    fix: 'to schedule it, remove `enabled: false` and deploy',
  })
}

/** Throws `CommandError` if the account has no schedule of the entity's full syncs. */
function schedulesOf(
  entity: string,
  schedules: readonly DeployedSchedule[],
  target: StacksTarget,
): readonly [full: DeployedSchedule, ...increments: DeployedSchedule[]] {
  const own = schedules.filter((one) => one.entity === entity)
  const full = own.find(({ starts }) => starts === 'full')
  if (full) return [full, ...own.filter(({ starts }) => starts === 'increment')]
  throw new CommandError(`${entity} has no schedule in the account.`, {
    fix: longshoreCommand(target, `repair-schedule ${entity}`),
  })
}
