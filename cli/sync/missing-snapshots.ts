import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError, failureOf } from '../../operator/errors.ts'
import type { Syncs } from '../../operator/sync/syncs.ts'

type EntityView = Awaited<ReturnType<Syncs['list']>>['entities'][number]

/** The scheduled entities that wait for their first sync. */
export function withoutSnapshot(
  entities: readonly Pick<EntityView, 'entity' | 'enabled' | 'snapshot' | 'running'>[],
): string[] {
  return entities
    .filter(({ enabled, snapshot, running }) => enabled && !snapshot && !running)
    .map(({ entity }) => entity)
}

export const questionText = (entities: readonly string[]) =>
  `No snapshot yet: ${entities.join(', ')}. Start their syncs now?`

export const notStartedText = (entities: readonly string[], target: Target) =>
  `No snapshot yet: ${entities.join(', ')}. To start a sync: ${longshoreCommand(target, `sync ${entities[0]} --watch`)}`

export const startedText = (entities: readonly string[], target: Target) =>
  `Started syncs: ${entities.join(', ')}. To see their progress: ${longshoreCommand(target, 'status')}`

/** Why no sync was started, after the credentials were stored. */
export function notStartedError(cause: unknown, target: Target): CommandError {
  const { message, fix = longshoreCommand(target, 'status') } = failureOf(cause)
  return new CommandError(`The credentials are stored, but the first syncs cannot be started: ${message}`, {
    fix,
    cause,
  })
}
