import type { StartedJob } from '../../functions/state/run/job.ts'
import type { RunInProgress } from '../../functions/sync-api/syncs.ts'
import type { Configuration } from '../../lib/config.ts'
import { longshoreCommand, requireEntity, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'
import type { StartedRun } from './results.ts'

/** The guards that a sync overrides. */
interface Accepted {
  readonly acceptShrink: boolean
  readonly acceptDeletes: boolean
}

export interface SyncRequest extends Accepted {
  readonly watch: boolean
  readonly all: boolean
  readonly increment: boolean
}

const isAccepting = ({ acceptShrink, acceptDeletes }: Accepted) => acceptShrink || acceptDeletes

/** What to know before a guard is overridden for documents that nobody has seen; undefined if none is. */
export function unreviewedWarning(
  { acceptShrink, acceptDeletes }: Accepted,
  review: string,
): string | undefined {
  const flags = [acceptShrink && '--accept-shrink', acceptDeletes && '--accept-deletes'].filter(Boolean)
  if (flags.length === 0) return undefined
  return (
    `With ${flags.join(' and ')}, the run publishes whatever the platform has when the entity is scrolled. Nobody has reviewed that.\n` +
    `  → to publish exactly what was refused, review it: ${review}`
  )
}

/** Throws `UsageError` unless either an entity or --all is given. */
export function requireSelection(entity: string, { all }: Pick<SyncRequest, 'all'>): void {
  if ((entity === '') === all) return
  throw new UsageError(all ? 'ENTITY cannot be combined with --all.' : 'Missing ENTITY or --all.')
}

/** Throws `UsageError` if a guard would be overridden for every entity. */
export function requireOneAccepted(request: SyncRequest): void {
  if (!request.all || !isAccepting(request)) return
  throw new UsageError('--accept-shrink and --accept-deletes need one entity, not --all.')
}

/** Throws `UsageError` if an increment is combined with what only a full sync can do. */
export function requireIncrementAlone(request: SyncRequest): void {
  if (!request.increment || !(request.all || isAccepting(request))) return
  throw new UsageError('--increment cannot be combined with --all, --accept-shrink or --accept-deletes.')
}

/** The entity, or with --all every enabled one. Throws `CommandError` if the entity is not configured. */
export function entitiesToSync(
  entity: string,
  { all }: Pick<SyncRequest, 'all'>,
  configuration: Configuration,
): string[] {
  if (all) return configuration.entities.filter(({ enabled }) => enabled).map(({ name }) => name)
  requireEntity(configuration, entity)
  return [entity]
}

/** What a request starts for each of its entities. */
export const jobOf = ({
  increment,
  acceptShrink,
  acceptDeletes,
}: Omit<SyncRequest, 'watch' | 'all'>): StartedJob =>
  increment ? { kind: 'increment' } : { kind: 'full', acceptShrink, acceptDeletes }

/** Whether a full sync in progress will do: it is watched or part of --all, and no guard is overridden. */
export const mayJoin = (request: SyncRequest): boolean =>
  !request.increment && !isAccepting(request) && (request.watch || request.all)

/** Another run prevents the one that was to be started. */
export function inProgressError({ entity, runId }: StartedRun, target: Target): CommandError {
  return new CommandError(`Run ${runId} of ${entity} is in progress.`, {
    fix: `wait until it ends, or cancel it: ${longshoreCommand(target, `cancel ${entity}`)}`,
  })
}

/** The id of the run in progress. Throws `CommandError` if there is none, or none that can be cancelled. */
export function requireCancellable(entity: string, running: RunInProgress | null, target: Target): string {
  if (running?.hasItem) return running.runId
  if (running)
    throw new CommandError(
      `Increment ${running.runId} of ${entity} is running. Its schedule started it, so it cannot be cancelled; it ends within minutes.`,
      { fix: longshoreCommand(target, `pause ${entity}`) },
    )
  throw new CommandError(`No sync of ${entity} is running.`, {
    fix: longshoreCommand(target, `runs ${entity}`),
  })
}
