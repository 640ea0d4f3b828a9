import { readChainState } from '../../functions/problems/chain-state.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { updateAthenaTable } from '../../functions/state/changes/athena-table.ts'
import type { ObjectVersion } from '../../functions/state/object-versions.aws.ts'
import { icebergPrefix } from '../../functions/state/tables/table.ts'
import { eraseTableRuns } from '../../functions/tables/erase/erase-tables.ts'
import type { Target } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import { deleteItems, findPageItems } from '../purge/purge-items.ts'
import type { EraseContext } from './context.ts'
import { type FoundPerson, findPerson, requireIdle, searchForPerson } from './find-person.ts'
import type { Wanted } from './person.ts'
import { type Place, placesOf } from './places.ts'
import { planRemoval, type RemovalPlan } from './plan.ts'
import { readStored, type StoredEntity } from './stored-entity.ts'

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
  const stored = await readStored(context, entity)
  if (stored.versions.length === 0) throw new CommandError(`No data of ${entity} is stored.`)
  await requireIdleNow(context, request, stored)
  const found = await findPerson(context, { ...request, stored })
  const { searched } = found
  const removal = planRemoval(stored, [...searched.found, ...searched.unreadable])
  return { ...found, request, stored, removal, places: placesOf(stored, removal, searched) }
}

async function requireIdleNow(
  context: EraseContext,
  { entity, settings }: EraseRequest,
  stored: Pick<StoredEntity, 'entity' | 'latest' | 'chain'>,
): Promise<void> {
  const now = context.now()
  const { lease } = await context.state.readEntity(entity)
  const snapshot = stored.latest ?? null
  const chain = stored.chain?.value
  const { kind } = await readChainState(context.changes, entity, { snapshot, chain, now })
  requireIdle(stored, { lease, isPending: kind === 'pending' && settings?.changes !== false, now })
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
 * Deletes what was found. Readers no longer find something before it goes, and whatever remains after an interruption is
 * found again. Throws `Interrupted`, and `CommandError` if something was published meanwhile.
 */
export async function erase(context: EraseContext, plan: ErasePlan): Promise<Erased> {
  const { request, stored, removal } = plan
  const { entity } = request
  await requireUnchanged(context, plan)
  const { gone = [], kept = [] } = Object.groupBy(stored.versions, (version) =>
    removal.mustGo(version) ? 'gone' : 'kept',
  )
  await moveChain(context, plan)
  // Before the objects, since their keys show which items exist: after an interruption they are found again.
  const items = await findPageItems(keysOf(gone), keysOf(kept), context.table)
  await deleteItems(items, context.table)
  const isTableFile = ({ key }: ObjectVersion) => key.startsWith(icebergPrefix)
  if (gone.some(isTableFile)) await eraseTableRuns(context, entity, (run) => removal.tableRuns.has(run))
  await deleteAll(context, gone.filter((version) => !isTableFile(version)).toSorted(byManifest))
  const left = await countLeft(context, plan)
  return { versions: gone.length, items: items.length, left }
}

/** Manifests go first, so that none remains without its objects. */
const byManifest = (one: ObjectVersion, other: ObjectVersion) =>
  Number(isManifest(other)) - Number(isManifest(one))
const isManifest = ({ key }: ObjectVersion) => key.endsWith('.json')

async function deleteAll(
  { versions, checkTime }: EraseContext,
  gone: readonly ObjectVersion[],
): Promise<void> {
  for (let at = 0; at < gone.length; at += maxBatch) {
    checkTime()
    await versions.deleteVersions(gone.slice(at, at + maxBatch))
  }
}

/** An interruption is noticed after so many. */
const maxBatch = 1000

const keysOf = (versions: readonly ObjectVersion[]) => new Set(versions.map(({ key }) => key))

/** Throws `CommandError` if a run has begun or published since the search. */
async function requireUnchanged(context: EraseContext, { request, stored }: ErasePlan): Promise<void> {
  const { entity } = request
  const latest = (await context.snapshots.readLatest(entity))?.value
  if (latest?.runId !== stored.latest?.runId) throw changedMeanwhile(entity)
  await requireIdleNow(context, request, stored)
}

const changedMeanwhile = (entity: string) =>
  new CommandError(`Something of ${entity} was published during the search. Nothing was erased.`, {
    fix: 'run the command again',
  })

/** Readers of the sets that go receive `changes-expired`. */
async function moveChain(
  context: EraseContext,
  { request: { entity }, stored, removal }: ErasePlan,
): Promise<void> {
  const { chain } = removal
  if (chain.kind === 'unchanged' || !stored.chain) return
  if (!(await context.changes.writeLatest(entity, chain.chain, stored.chain))) throw changedMeanwhile(entity)
  await updateAthenaTable(context, entity)
}

/** Searches again. The first search has read everything that was stored before it. */
async function countLeft(context: EraseContext, plan: ErasePlan): Promise<number> {
  const known = new Set(plan.stored.versions.map(nameOf))
  const { versions } = await readStored(context, plan.request.entity)
  const gone = versions.filter((version) => known.has(nameOf(version)) && plan.removal.mustGo(version))
  const written = versions.filter((version) => !known.has(nameOf(version)))
  const { found, unreadable } = await searchForPerson(context, written, plan)
  return gone.length + found.length + unreadable.length
}

const nameOf = ({ key, versionId, writtenAt }: ObjectVersion) => `${key} ${versionId} ${writtenAt}`
