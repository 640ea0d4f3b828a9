import { mayBeCompared, readChainState } from '../../functions/problems/chain-state.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { updateAthenaTable } from '../../stored/changes/athena-table.ts'
import { chainSnapshotRun } from '../../stored/changes/chain-facts.ts'
import { withoutAccepted } from '../../stored/inventory/accepted-meanwhile.ts'
import { eraseTableRuns } from '../../stored/inventory/erase-table-runs.ts'
import { planRemoval, type RemovalPlan } from '../../stored/inventory/removal.ts'
import { nameOfVersion, readStored, type StoredEntity } from '../../stored/inventory/stored-entity.ts'
import { deleteItems, readPageItems } from '../../stored/inventory/stored-items.ts'
import { inUse, isSnapshotLease } from '../../stored/lease.ts'
import type { ObjectVersion } from '../../stored/object-versions.aws.ts'
import { snapshotsPrefix } from '../../stored/snapshots/manifest.ts'
import { icebergPrefix } from '../../stored/tables/table.ts'
import { longshoreCommand, type Target } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import { conditionOfId } from '../history/condition.ts'
import { shellWord } from '../text/shell-word.ts'
import type { EraseContext } from './context.ts'
import { type FoundPerson, findPerson, requireUnpublished, searchForPerson } from './find-person.ts'
import type { Wanted } from './person.ts'
import { type Place, placesOf } from './places.ts'
import { added } from './search.ts'

/** What to erase from where. */
export interface EraseRequest {
  readonly entity: string
  readonly wanted: Wanted
  /** Undefined of an entity that is no longer configured. */
  readonly settings: Pick<EntitySettings, 'idField' | 'changes'> | undefined
  readonly target: Target
}

export interface ErasePlan extends FoundPerson {
  readonly request: EraseRequest
  readonly stored: StoredEntity
  readonly places: readonly Place[]
  readonly removal: RemovalPlan
}

/**
 * Finds the documents everywhere in the bucket. Throws `CommandError` if the published snapshot contains them, while a run
 * or a comparison is in progress, and if nothing of the entity is stored.
 */
export async function planErasure(context: EraseContext, request: EraseRequest): Promise<ErasePlan> {
  const { entity } = request
  requireScalarId(request)
  const stored = await readStored(context, entity)
  if (stored.versions.length === 0) throw new CommandError(`No data of ${entity} is stored.`)
  await requireIdle(context, request, stored)
  return planOf({ ...(await findPerson(context, { ...request, stored })), request, stored })
}

function planOf(found: Omit<ErasePlan, 'places' | 'removal'>): ErasePlan {
  const { stored, searched } = found
  const removal = planRemoval(stored, [...searched.found, ...searched.unreadable])
  return { ...found, removal, places: placesOf(stored, removal, searched) }
}

/** Throws `CommandError` if the id is an object or a list: documents with such an id have none. */
function requireScalarId({ entity, wanted, settings, target }: EraseRequest): void {
  const where = wanted.by === 'id' && conditionOfId(wanted.id, settings?.idField ?? 'id')
  if (!where) return
  const command = longshoreCommand(target, `erase ${entity} --where ${shellWord(where)} --dry-run`)
  const problem =
    'An object or a list is no id: documents with one are known by their bytes. Nothing was erased.'
  throw new CommandError(problem, { fix: `find them by a field with --where: ${command}` })
}

/**
 * Throws `CommandError` while something may be writing what is erased. An increment does not publish if the chain has been
 * reset since it began.
 */
async function requireIdle(
  context: EraseContext,
  { settings }: EraseRequest,
  { entity, latest, chain: stored }: StoredEntity,
): Promise<void> {
  const now = context.now()
  const { lease } = await context.state.readEntity(entity)
  if (isSnapshotLease(lease) && inUse(lease, now))
    throw new CommandError(`The run ${lease.runId} of ${entity} is in progress. Nothing was erased.`, {
      fix: 'run the command again when it has ended (at most 5 minutes from now if its worker is gone)',
    })
  const chain = stored?.value
  // The next set is a reset, which compares nothing.
  if (!latest || !chain || chain.reset || settings?.changes === false) return
  const { kind } = await readChainState(context.changes, entity, { snapshot: latest, chain, now })
  if (kind !== 'pending' && !(kind === 'failed' && mayBeCompared(latest, now))) return
  throw new CommandError(
    `The snapshot of run ${latest.runId} of ${entity} may still be compared with that of run ${chainSnapshotRun(chain)}. Nothing was erased.`,
    { fix: 'run the command again when the comparison has ended (at most 15 minutes from now)' },
  )
}

export interface Erased {
  /** Versions of objects that were deleted. */
  readonly versions: number
  /** Items of the state table that were deleted: hashes of the ids of pages. */
  readonly items: number
  /** Versions that contain the documents and were written meanwhile: 0 if nothing is left. */
  readonly left: number
}

/**
 * Deletes what was found, and what was written since. Readers no longer find something before it goes, and whatever remains
 * after an interruption is found again. Throws `Interrupted`, and `CommandError` if the documents are published again.
 */
export async function erase(
  context: EraseContext,
  plan: ErasePlan,
): Promise<{ readonly plan: ErasePlan; readonly removed: Erased }> {
  const current = await moveChain(context, plan)
  const { request, stored, removal } = current
  const { entity } = request
  const { gone: planned = [], kept = [] } = Object.groupBy(stored.versions, (version) =>
    removal.mustGo(version) ? 'gone' : 'kept',
  )
  const gone = await withoutAcceptedSnapshots(context, stored, planned)
  // Before the objects, since their keys show which items exist: after an interruption they are found again.
  const items = await readPageItems(context.table, keysOf(gone), keysOf(kept))
  await deleteItems(context.table, items)
  const isTableFile = ({ key }: ObjectVersion) => key.startsWith(icebergPrefix)
  if (gone.some(isTableFile))
    await eraseTableRuns(context, entity, async () => (run) => removal.tableRuns.has(run))
  await context.versions.deleteVersions(
    gone.filter((version) => !isTableFile(version)),
    context.checkTime,
  )
  const left = await countLeft(context, current)
  return { plan: current, removed: { versions: gone.length, items: items.length, left } }
}

async function withoutAcceptedSnapshots(
  context: EraseContext,
  { entity, latest }: StoredEntity,
  planned: readonly ObjectVersion[],
): Promise<readonly ObjectVersion[]> {
  const { snapshots = [], others = [] } = Object.groupBy(planned, ({ key }) =>
    key.startsWith(snapshotsPrefix(entity)) ? 'snapshots' : 'others',
  )
  const of = { entity, published: latest?.runId }
  return [...others, ...(await withoutAccepted(context, of, snapshots))]
}

const keysOf = (versions: readonly ObjectVersion[]) => new Set(versions.map(({ key }) => key))

/** Each further round means that something else has changed the chain, such as an increment. */
const maxRounds = 5

/** Takes what goes out of the chain: readers of these sets receive `changes-expired`. Returns what was planned. */
async function moveChain(context: EraseContext, plan: ErasePlan): Promise<ErasePlan> {
  const { entity } = plan.request
  let current = plan
  for (let round = 1; round <= maxRounds; round++) {
    current = await withWritten(context, current)
    const { stored, removal } = current
    if (removal.chain.kind === 'unchanged' || !stored.chain) return current
    if (!(await context.changes.writeLatest(entity, removal.chain.chain, stored.chain))) continue
    await updateAthenaTable(context, entity)
    return current
  }
  throw new CommandError(`Something else keeps changing the change sets of ${entity}. Nothing was erased.`, {
    fix: 'run the command again',
  })
}

/** The plan for what is stored now: only what was written since is searched. */
async function withWritten(context: EraseContext, plan: ErasePlan): Promise<ErasePlan> {
  const { request, person } = plan
  const stored = await readStored(context, request.entity)
  await requireIdle(context, request, stored)
  const written = await searchForPerson(context, versionsSince(plan.stored, stored), plan)
  const searched = added(plan.searched, written)
  requireUnpublished({ ...request, stored }, searched, person)
  return planOf({ ...plan, stored, searched })
}

/** Searches again. What was stored before has been searched. */
async function countLeft(context: EraseContext, plan: ErasePlan): Promise<number> {
  const stored = await readStored(context, plan.request.entity)
  const written = versionsSince(plan.stored, stored)
  const isNew = new Set(written)
  const gone = stored.versions.filter((version) => !isNew.has(version) && plan.removal.mustGo(version))
  const { found, unreadable } = await searchForPerson(context, written, plan)
  return gone.length + found.length + unreadable.length
}

function versionsSince(before: StoredEntity, { versions }: StoredEntity): ObjectVersion[] {
  const known = new Set(before.versions.map(nameOfVersion))
  return versions.filter((version) => !known.has(nameOfVersion(version)))
}
