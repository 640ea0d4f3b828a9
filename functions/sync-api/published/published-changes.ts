import { incrementPartsOf } from '../../../stored/changes/chain-facts.ts'
import { setManifestKey } from '../../../stored/changes/change-keys.ts'
import type { ChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import type { ChangePart, SetManifest } from '../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import { setsSince } from '../../../stored/changes/sets-since.ts'
import { runIdPattern } from '../../../stored/run/run.ts'
import { type Manifest, runOfManifestKey } from '../../../stored/snapshots/manifest.ts'
import type { SnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { ProblemError, refuseParameter } from '../../http/result.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { SignLinks } from './links.aws.ts'
import type { PartsCursor } from './page-cursor.ts'
import { formatCursor, linkedPages, maxLinks, parseCursor, withLinks } from './page-cursor.ts'

export interface ChangesContext {
  readonly snapshots: Pick<SnapshotStore, 'readManifest'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest'>
  readonly signLinks: SignLinks
}

export interface EntityChain {
  readonly entity: string
  readonly chain: ChangesLatest
}

/** The chain of an entity's change sets. Throws `ProblemError` if there is none. */
export async function readChainToServe(
  { changes }: Pick<ChangesContext, 'changes'>,
  entity: EntitySettings,
): Promise<EntityChain> {
  if (entity.changes === false)
    throw new ProblemError('not-found', 'Change sets are turned off for this entity in the configuration.')
  const chain = await changes.readLatest(entity.name)
  if (chain) return { entity: entity.name, chain: chain.value }
  const detail = 'This entity has no change set yet. Start a sync with POST /syncs/{entity}.'
  throw new ProblemError('not-found', detail)
}

/** Whether a caller who knows the tip has read everything at this position. */
export function hasEverything({ chain }: EntityChain, position: ChangesPosition): boolean {
  if (position.cursor) return false
  return position.kind === 'start' ? !chain.erased : setsSince(chain, position.since) !== undefined
}

/** What callers read at a position of the chain, with a link to each object. Throws `ProblemError`. */
export function readChanges(context: ChangesContext, chain: EntityChain, position: ChangesPosition) {
  return position.kind === 'start'
    ? readStart(context, chain, position.cursor)
    : readSets(context, chain, position)
}

/** The snapshot to begin with, and in the last response what readers apply after all of its pages. */
async function readStart(
  context: ChangesContext,
  { entity, chain }: EntityChain,
  cursor: PartsCursor | undefined,
) {
  if (chain.erased) throw new NothingToBegin(chain.tip)
  const start = cursor ?? { runId: chain.tip, offset: 0 }
  const { runId } = start
  const state = await readState(context, { entity, chain }, runId)
  if (!state) return expired(context, { entity, chain })
  const { set, snapshot } = state
  const { withheldParts } = set
  const incrementParts = incrementPartsOf(set)
  const more = withheldParts.length + incrementParts.length
  const { pages, ...next } = await linkedPages(context.signLinks, snapshot.pages, { ...start, more })
  const isLast = !('next' in next)
  return {
    entity,
    // The reader continues from here, which is not the chain's tip if that has moved since the first response.
    tip: runId,
    snapshot: { ...stateView(set, snapshot), pages },
    withheldParts: await withLinks(context.signLinks, isLast ? withheldParts : []),
    // A chain that no increment has extended has none.
    ...((set.kind === 'increment' || chain.window) && {
      incrementParts: await withLinks(context.signLinks, isLast ? incrementParts : []),
    }),
    sets: [],
    ...next,
  }
}

/** The sets after the state of a run. */
async function readSets(context: ChangesContext, { entity, chain }: EntityChain, position: SincePosition) {
  const { since, limit, cursor } = position
  const sets = setsSince(chain, since)
  const [first] = sets ?? []
  if (!sets || (cursor && cursor.runId !== first?.runId)) return expired(context, { entity, chain })
  const [tip, ...stored] = await Promise.all([
    readState(context, { entity, chain }, chain.tip),
    ...sets.slice(0, limit).map(({ runId }) => context.changes.readManifest(entity, runId)),
  ])
  const manifests = stored.flatMap((manifest) => (manifest ? [manifest.value] : []))
  if (!tip || manifests.length < stored.length) return expired(context, { entity, chain })
  const { sets: taken, next } = sliceSets(manifests, position, ({ runId }) => runId === chain.tip)
  const withParts = taken.map(async ({ set, parts }) => ({
    ...setView(set),
    parts: await withLinks(context.signLinks, parts),
  }))
  const snapshot = stateView(tip.set, tip.snapshot)
  return { entity, tip: chain.tip, snapshot, sets: await Promise.all(withParts), next }
}

/** The set that ends at a run, and the chain's snapshot there; undefined if one of them is gone. */
async function readState({ snapshots, changes }: ChangesContext, { entity }: EntityChain, runId: string) {
  const set = (await changes.readManifest(entity, runId))?.value
  // After increments it is an older run's.
  const snapshot = set && (await snapshots.readManifest(entity, runOfManifestKey(set.snapshot)))
  return set && snapshot && { set, snapshot }
}

async function expired(context: ChangesContext, { entity, chain }: EntityChain): Promise<never> {
  const tip = chain.erased ? undefined : await readState(context, { entity, chain }, chain.tip)
  if (!tip) throw new NothingToBegin(chain.tip)
  const detail =
    'The change sets after this run are gone. Read the same URL without since and cursor, and load its snapshot.'
  const members = { tip: chain.tip, snapshot: stateView(tip.set, tip.snapshot) }
  throw new ProblemError('changes-expired', detail, members)
}

const retrySeconds = 300

/** Nothing leads readers to the tip until a full sync has published. */
class NothingToBegin extends ProblemError {
  constructor(tip: string) {
    const detail =
      'The snapshot that readers begin with, or a part of what they add to it, is gone. Start a full sync with POST /syncs/{entity}. Once its change set is published, read the same URL without since and cursor.'
    super('changes-expired', detail, { tip })
  }

  override response() {
    const response = super.response()
    const headers = { 'retry-after': String(retrySeconds), 'cache-control': 'no-store' }
    return { ...response, headers: { ...response.headers, ...headers } }
  }
}

/** The state that a set leads to: a snapshot and what is withheld beyond it. */
function stateView(
  { idField, stateDocuments, stateIdSum, snapshot: manifest }: SetManifest,
  { runId, documents, uniqueIds, proof }: Manifest,
) {
  return { runId, manifest, documents, uniqueIds, proof, idField, stateDocuments, stateIdSum }
}

/** Readers need the withheld documents, and all increments since a snapshot, only to begin with. */
function setView(manifest: SetManifest) {
  const members = { delivered: undefined, incrementParts: undefined, ...manifest }
  const { withheldParts: _, delivered: _delivered, incrementParts: _parts, ...set } = members
  return { ...set, manifest: setManifestKey(set.entity, set.runId) }
}

interface SlicedSet {
  readonly set: SetManifest
  readonly parts: readonly ChangePart[]
}

interface Slice {
  readonly sets: readonly SlicedSet[]
  /** The relative URL of the following response. */
  readonly next: string | undefined
}

/**
 * As many of these consecutive sets as fit into one response. A set is split only if it does not fit into any.
 * `isLast`: whether the chain ends with them.
 */
function sliceSets(
  sets: readonly SetManifest[],
  { since, limit, cursor }: SincePosition,
  isLast: (set: SetManifest) => boolean,
): Slice {
  const taken: SlicedSet[] = []
  let position = since
  let left = maxLinks
  for (const set of sets) {
    const offset = taken.length === 0 ? (cursor?.offset ?? 0) : 0
    const parts = set.parts.slice(offset, offset + left)
    const isCut = offset + parts.length < set.parts.length
    if (isCut && taken.length > 0) return { sets: taken, next: nextUrl(position, limit) }
    taken.push({ set, parts })
    if (isCut)
      return { sets: taken, next: nextUrl(since, limit, { runId: set.runId, offset: offset + parts.length }) }
    left -= parts.length
    position = set.runId
  }
  const last = sets.at(-1)
  return { sets: taken, next: !last || isLast(last) ? undefined : nextUrl(position, limit) }
}

function nextUrl(since: string, limit: number, cursor?: PartsCursor): string {
  const url = `?since=${since}&limit=${limit}`
  return cursor ? `${url}&cursor=${formatCursor(cursor)}` : url
}

/** What a caller wants to read of a chain. */
export type ChangesPosition =
  /** The snapshot to begin with: the tip's, or the one that an earlier response began with. */
  | { readonly kind: 'start'; readonly cursor: PartsCursor | undefined }
  /** The sets after the state of a run. */
  | SincePosition

export interface SincePosition {
  readonly kind: 'since'
  readonly since: string
  readonly limit: number
  readonly cursor: PartsCursor | undefined
}

const maxLimit = 20

/** Reads the query of `GET /syncs/{entity}/changes`. Throws `ProblemError`. */
export function readPosition(query: ReadonlyMap<string, string>): ChangesPosition {
  const since = query.get('since')
  const limit = readLimit(query.get('limit'))
  const given = query.get('cursor')
  const cursor = given === undefined ? undefined : parseCursor(given)
  if (since === undefined) return { kind: 'start', cursor }
  if (!runIdPattern.test(since)) refuseParameter('since', 'since must be the id of a run.')
  return { kind: 'since', since, limit, cursor }
}

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? maxLimit : /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > maxLimit)
    refuseParameter('limit', `limit must be a whole number from 1 to ${maxLimit}.`)
  return limit
}
