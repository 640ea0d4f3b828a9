import { type Condition, equal, isNew, isOneOf, type StateTable, type Test } from '../dynamodb/state-table.ts'
import { itemExpiry } from '../item-expiry.ts'
import type { Key } from '../item-version.ts'
import { LeaseLost } from '../lease.ts'
import type { ActiveIncrement, IncrementRun } from './increment-run.ts'
import { activeStatuses, hasEnded, type Run, type RunStatus, type SnapshotRun } from './run.ts'

const runPrefix = 'run#'
/** Increments are apart, since hundreds of them can follow a full sync. */
const incrementPrefix = 'increment#'

const keyBelow = (prefix: string, entity: string, runId: string): Key => ({
  pk: `entity#${entity}`,
  sk: `${prefix}${runId}`,
})
const runKey = (entity: string, runId: string) => keyBelow(runPrefix, entity, runId)
const incrementKey = (entity: string, runId: string) => keyBelow(incrementPrefix, entity, runId)
const keyOf = ({ kind, entity, runId }: Pick<Run, 'kind' | 'entity' | 'runId'>) =>
  kind === 'increment' ? incrementKey(entity, runId) : runKey(entity, runId)

interface RunList {
  readonly entity: string
  readonly limit?: number | undefined
  readonly before?: string | undefined
}

/** One item per run. */
export function createRunItems(table: StateTable) {
  /** False if the condition failed, unless this write is already stored. */
  async function write(run: Run, condition: Condition): Promise<boolean> {
    if (await table.put(runItem(run), condition)) return true
    // This write may have succeeded before: the client repeats a write whose response was lost.
    const stored = await table.get<Run>(keyOf(run))
    return stored !== undefined && isSameWrite(stored, run)
  }

  /** Writes a run if nobody has written it since it was read. Throws `LeaseLost` with the reason. */
  async function replace<R extends SnapshotRun>(run: R, status: Test, reason: string): Promise<R> {
    const next = { ...run, revision: run.revision + 1 }
    if (await write(next, { status, revision: equal(run.revision) })) return next
    throw new LeaseLost(reason)
  }

  async function list<R extends Run>(prefix: string, { entity, limit, before }: RunList): Promise<R[]> {
    const after = before === undefined ? undefined : `${prefix}${before}`
    const range = { prefix, newestFirst: true, limit, consistent: false, after }
    return Array.fromAsync(table.query<R>(`entity#${entity}`, range))
  }

  const readRun = async (entity: string, runId: string): Promise<SnapshotRun | undefined> => {
    const found = await table.get<SnapshotRun>(runKey(entity, runId))
    return found && withKind(found)
  }
  const readIncrement = (entity: string, runId: string) =>
    table.get<IncrementRun>(incrementKey(entity, runId))

  return {
    readRun,
    readIncrement,

    /** A run of any kind. */
    findRun: async (entity: string, runId: string): Promise<Run | undefined> =>
      (await readRun(entity, runId)) ?? (await readIncrement(entity, runId)),

    /** Those of the runs that exist. */
    async readRuns(runs: readonly Pick<Run, 'entity' | 'runId'>[]): Promise<SnapshotRun[]> {
      const found = await table.getAll<SnapshotRun>(runs.map(({ entity, runId }) => runKey(entity, runId)))
      return found.filter((run) => run !== undefined).map(withKind)
    },

    /** False if another writer has created a run of this id. */
    createRun(run: Run): Promise<boolean> {
      return write(run, isNew)
    },

    /** Writes a run that has not ended, if nobody has written it since it was read. Throws `LeaseLost`. */
    writeRun<R extends SnapshotRun>(run: R): Promise<R> {
      return replace(run, isOneOf(activeStatuses), 'The run has ended, or another worker works on it.')
    },

    /** Lets an increment publish. False if it has ended, because it was cancelled or another worker has carried it out. */
    publishIncrement(run: ActiveIncrement): Promise<boolean> {
      const publishing = { ...run, status: 'publishing', revision: run.revision + 1 } as const
      return write(publishing, { status: isOneOf(['running', 'publishing']) })
    },

    /** Takes a refused run up again, if nobody has written it since it was read. Throws `LeaseLost`. */
    reopenRun<R extends SnapshotRun>(run: R): Promise<R> {
      return replace(run, equal('refused'), 'Another worker has accepted the run.')
    },

    /** Ends a run from outside its worker. False if its status is not in `from`, or if it must be `unwritten` and is not. */
    endRun(
      run: Run,
      from: readonly [RunStatus, ...RunStatus[]],
      { unwritten = false }: { readonly unwritten?: boolean } = {},
    ): Promise<boolean> {
      const condition = { status: isOneOf(from), ...(unwritten && { revision: equal(run.revision) }) }
      // Without the worker's name, so that the worker does not mistake this write for its own.
      return write({ ...run, worker: undefined, revision: run.revision + 1 }, condition)
    },

    /** The entity's runs except increments, newest first: all, the last ones, or those before a run. */
    listRuns: async (entity: string, limit?: number, before?: string) =>
      (await list<SnapshotRun>(runPrefix, { entity, limit, before })).map(withKind),

    /** The same of its increments. */
    listIncrements: (entity: string, limit: number) => list<IncrementRun>(incrementPrefix, { entity, limit }),
  }
}

/** Version 1.0.0 knew full syncs only, and stored no kind. */
const withKind = (run: SnapshotRun): SnapshotRun =>
  'kind' in run ? run : { ...(run as Extract<SnapshotRun, { kind: 'full' }>), kind: 'full' }

function isSameWrite(stored: Run, { worker, revision, status, updatedAt }: Run): boolean {
  const isSameState = stored.status === status && stored.updatedAt === updatedAt
  return isSameState && stored.worker === worker && stored.revision === revision
}

function runItem(run: Run): Key & object {
  const expiry = hasEnded(run) && { expiresAt: itemExpiry(Date.parse(run.endedAt)) }
  return { ...run, ...keyOf(run), ...expiry }
}
