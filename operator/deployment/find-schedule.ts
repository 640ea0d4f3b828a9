import type { Configuration } from '../../lib/config.ts'
import { CommandError } from '../errors.ts'
import type { Deployment, StacksTarget, Target } from './deployment.ts'
import { findDeployment, longshoreCommand, requireEntity } from './deployment.ts'
import type { PlannedSchedule } from './planned-schedules.ts'
import type { ExistingSchedule } from './schedule-store.aws.ts'
import { readSchedules } from './schedules.ts'

/** The deployed schedules of an entity, that of its full syncs first. Throws `CommandError` if that is missing. */
export async function findSchedules(entity: string, target: Target): Promise<readonly ExistingSchedule[]> {
  const { deployment, target: stacks } = await findScheduled(entity, target)
  const schedules = ownSchedules(await readSchedules(deployment.configuration.name), entity)
  if (schedules) return schedules
  throw new CommandError(`${entity} has no schedule in the account.`, {
    fix: longshoreCommand(stacks, `repair-schedule ${entity}`),
  })
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
  requireScheduled(deployment.configuration, entity)
  return { deployment, target }
}

/** Throws `CommandError` if the entity is not configured, or has no schedule by its configuration. */
export function requireScheduled(configuration: Pick<Configuration, 'entities'>, entity: string): void {
  if (requireEntity(configuration, entity).enabled) return
  throw new CommandError(`${entity} has no schedule: the configuration has \`enabled: false\`.`, {
    fix: 'to schedule it, remove `enabled: false` and deploy',
  })
}

/** The schedules of an entity, that of its full syncs first; undefined without that. */
export function ownSchedules<S extends Pick<PlannedSchedule, 'entity' | 'starts'>>(
  schedules: readonly S[],
  entity: string,
): readonly [full: S, ...others: S[]] | undefined {
  const own = schedules.filter((one) => one.entity === entity)
  const full = own.find(({ starts }) => starts === 'full')
  return full && [full, ...own.filter((one) => one !== full)]
}
