import { pick } from '../../functions/runtime/pick.ts'
import type { RunInProgress } from '../../functions/syncs/syncs.ts'
import type { Configuration } from '../../lib/config.ts'
import { longshoreCommand, requireEntity, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError, UsageError } from '../../operator/errors.ts'
import type { StartedJob } from '../../stored/run/job.ts'
import type { StartedRun } from './results.ts'

/** The guards that a sync overrides. */
interface Accepted {
  readonly acceptShrink: boolean
  readonly acceptDeletes: boolean
}

export interface SyncRequest extends Accepted {
  /** Those that were named. */
  readonly entities: readonly string[]
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

/** Whether it may start several syncs, whose results are one. */
export const ofMany = ({ entities, all }: Pick<SyncRequest, 'entities' | 'all'>): boolean =>
  all || entities.length > 1

/** Throws `UsageError` if the entities and the options cannot be combined. */
export function requireConsistent(request: SyncRequest): void {
  const { entities, all, increment } = request
  if ((entities.length === 0) !== all)
    throw new UsageError(all ? 'ENTITY cannot be combined with --all.' : 'Missing ENTITY or --all.')
  if (increment && (ofMany(request) || isAccepting(request)))
    throw new UsageError(
      '--increment needs one entity, and cannot be combined with --all, --accept-shrink or --accept-deletes.',
    )
  if (ofMany(request) && isAccepting(request))
    throw new UsageError('--accept-shrink and --accept-deletes need one entity, not several or --all.')
}

/** Those that were named, or with --all every enabled one. Throws `CommandError` if one is not configured. */
export function entitiesToSync(
  { entities, all }: Pick<SyncRequest, 'entities' | 'all'>,
  configuration: Configuration,
): string[] {
  if (all) return configuration.entities.filter(({ enabled }) => enabled).map(({ name }) => name)
  for (const entity of entities) requireEntity(configuration, entity)
  return [...new Set(entities)]
}

/** What a request starts for each of its entities. */
export const jobOf = ({ increment, ...accepted }: Accepted & { readonly increment: boolean }): StartedJob =>
  increment ? { kind: 'increment' } : { kind: 'full', ...pick(accepted, 'acceptShrink', 'acceptDeletes') }

/** Whether a full sync in progress will do: it is watched or one of many, and no guard is overridden. */
export const mayJoin = (request: SyncRequest): boolean =>
  !request.increment && !isAccepting(request) && (request.watch || ofMany(request))

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
