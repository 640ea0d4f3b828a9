import type { Configuration } from '../../lib/config.ts'
import type { DeployedSchedule } from '../aws/schedules.aws.ts'
import {
  findDeployment,
  longshoreCommand,
  requireEntity,
  type StacksTarget,
  type Target,
} from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import { readSchedules } from './schedules.ts'

/** The schedule of an entity as it is deployed. Throws `CommandError` if there is none. */
export async function findSchedule(entity: string, target: Target): Promise<DeployedSchedule> {
  if (target.kind === 'local') {
    const fix = `start a sync by hand: ${longshoreCommand(target, `sync ${entity}`)}`
    throw new CommandError('npm start runs no schedules.', { fix })
  }
  const { configuration } = await findDeployment(target)
  requireEntity(configuration, entity)
  requireScheduled(configuration, entity)
  return scheduleOf(entity, await readSchedules(configuration.name), target)
}

/** Throws `CommandError` if the entity has no schedule by its configuration. */
export function requireScheduled({ entities }: Pick<Configuration, 'entities'>, entity: string): void {
  if (entities.find(({ name }) => name === entity)?.enabled) return
  throw new CommandError(`${entity} has no schedule: the configuration has \`enabled: false\`.`, {
    fix: 'to schedule it, remove `enabled: false` and deploy',
  })
}

/** Throws `CommandError` if the account has no schedule of the entity. */
export function scheduleOf(
  entity: string,
  schedules: readonly DeployedSchedule[],
  target: StacksTarget,
): DeployedSchedule {
  const schedule = schedules.find((one) => one.entity === entity)
  if (schedule) return schedule
  throw new CommandError(`${entity} has no schedule in the account.`, {
    fix: longshoreCommand(target, `repair-schedule ${entity}`),
  })
}
