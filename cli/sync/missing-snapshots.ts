import { wasRejected } from '../../functions/problems/last-run.ts'
import { commandOf, syncMany } from '../../functions/problems/problem.ts'
import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError, failureOf } from '../../operator/errors.ts'
import type { Syncs } from '../../operator/sync/syncs.ts'
import { lastEnded } from '../../stored/run/last-ended.ts'

type EntityView = Awaited<ReturnType<Syncs['list']>>['entities'][number]

/** The scheduled entities without a snapshot, and those whose last run had credentials that the platform rejected. */
export function waitingForSync(
  entities: readonly Pick<EntityView, 'entity' | 'enabled' | 'snapshot' | 'running' | 'runs'>[],
): string[] {
  return entities
    .filter(({ enabled, snapshot, running, runs }) => enabled && !running && (!snapshot || isRejected(runs)))
    .map(({ entity }) => entity)
}

function isRejected(runs: EntityView['runs']): boolean {
  const last = lastEnded(runs)
  return last?.status === 'failed' && wasRejected(last)
}

export const questionText = (entities: readonly string[]) =>
  `Waiting for a sync: ${entities.join(', ')}. Start their syncs now?`

export function notStartedText(entities: readonly string[], target: Target): string {
  const step = syncMany(entities)
  const named = step.entities.length
  const which = named < entities.length ? `the first ${named}` : entities.length > 1 ? 'them' : 'it'
  return `Waiting for a sync: ${entities.join(', ')}. To start ${which} later:\n  → ${longshoreCommand(target, commandOf(step))}`
}

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
