import { datesOf, unreadableDate } from '../../../stored/chain/document-dates.ts'
import { readDelivered } from '../../../stored/chain/part-writer.ts'
import { chainSnapshotRun } from '../../../stored/changes/chain-facts.ts'
import { chainSnapshotOf } from '../../../stored/changes/chain-moves.ts'
import { setManifestKey } from '../../../stored/changes/change-keys.ts'
import type { ChainSnapshot, ChangesLatest, IncrementWindow } from '../../../stored/changes/changes-latest.ts'
import { LeaseLost } from '../../../stored/lease.ts'
import type { Delivery } from '../../../stored/run/increment-run.ts'
import { causeOfUnreadable, isUnreadable } from '../../../stored/unreadable-object.ts'
import { pick } from '../../runtime/pick.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { CredentialsError } from '../../upstream/exchange.ts'
import type { AttemptContext } from '../context.ts'
import { admit, tooManyChanges } from './admission.ts'
import { searchWindow } from './ask-platform.ts'
import { failWith, type IncrementEnd, Stopped, skipWith } from './end.ts'
import { publishIncrement } from './publish-set.ts'
import { scrollWindow } from './scroll-window.ts'
import { isNearWindow, selectRecords } from './select-records.ts'
import type { IncrementSession } from './session.ts'
import type { FoundChanges } from './store-set.ts'
import { decideWindow, windowFilter } from './window.ts'

/** Runs an increment, which a full sync may interrupt. Throws `LeaseLost` if another worker has the same increment. */
export async function runUntilInterrupted(
  context: AttemptContext,
  session: IncrementSession,
): Promise<IncrementEnd> {
  try {
    return await runIncrement(context, session)
  } catch (error) {
    if (error instanceof Stopped) return error.end
    if (isUnreadable(error)) return failWith(error.message, causeOfUnreadable(error)).end
    if (!(error instanceof LeaseLost)) throw error
    const to = await session.lostTo()
    if (to === 'other-worker') throw error
    const why =
      to === 'full-sync'
        ? skipWith('full-sync-began', 'A full sync began and has priority.')
        : skipWith('entity-busy', error.message)
    return why.end
  }
}

/** Publishes what changed since the last window. Throws `Stopped` or `LeaseLost`, but not once it has published. */
async function runIncrement(context: AttemptContext, session: IncrementSession): Promise<Delivery> {
  const { changes, settings, now } = context
  const { entity } = session
  const chain = (await changes.readLatest(entity.name))?.value
  if (!chain) throw skipWith('no-change-set', 'The entity has no change set yet. Start a full sync.')
  const stored = await snapshotOf(context, entity, chain)
  const snapshot = admit(chain, stored, { entity, now: now() })
  if (!(await session.takeScrollSlot(0))) {
    const reason = `None of the ${settings.maxConcurrentScrolls} slots for concurrent scrolls is free.`
    throw skipWith('no-slot', reason)
  }
  try {
    return await readWindow(context, session, { chain, snapshot })
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error
    const { kind, message } = error
    throw kind === 'not-set' ? skipWith('no-credentials', message) : failWith(message)
  }
}

/** The chain's snapshot; undefined if it is gone. Its manifest is read once for each full set at most. */
async function snapshotOf(
  { snapshots, changes }: Pick<AttemptContext, 'snapshots' | 'changes'>,
  { name }: EntitySettings,
  chain: ChangesLatest,
): Promise<ChainSnapshot | undefined> {
  const runId = chainSnapshotRun(chain)
  // Readers that begin need it, whatever increments add.
  if (chain.snapshot) return (await snapshots.hasManifest(name, runId)) ? chain.snapshot : undefined
  const [set, manifest] = await Promise.all([
    changes.readManifest(name, runId),
    snapshots.readManifest(name, runId),
  ])
  return set && manifest && chainSnapshotOf(manifest, set.value.ignore)
}

async function readWindow(
  context: AttemptContext,
  session: IncrementSession,
  base: Pick<FoundChanges, 'chain' | 'snapshot'>,
): Promise<Delivery> {
  const { now } = context
  const { chain, snapshot } = base
  const { lookbackMinutes } = session.entity.increments
  const facts = { snapshot, last: chain.window, lookbackMinutes }
  const byOwnClock = decideWindow({ ...facts, clocks: { own: now(), platform: now() } })
  const asked = await searchWindow(context, session, windowFilter(byOwnClock))
  const window = decideWindow({ ...facts, clocks: { own: now(), platform: asked.date } })
  const total = session.entity.totals === 'ignore' ? undefined : asked.total
  const tooMany = total === undefined ? undefined : tooManyChanges(total, snapshot)
  if (tooMany !== undefined) {
    const { document } = asked
    const isIgnored = document && !isNearWindow(datesOf(document), limitsOf(window, now()))
    throw isIgnored ? failWith(ignoredFilter(document, window)) : skipWith('too-many-changes', tooMany)
  }
  const scrolled = await scrollWindow(context, session, { where: windowFilter(window), snapshot })
  return publish(context, { ...base, session, window, clock: asked.clock, scrolled })
}

/** Why a document shows that the platform ignores the filter of a window, or that its dates cannot be read. */
function ignoredFilter(document: Buffer, { from, to }: IncrementWindow): string {
  const { createdIn, updatedIn } = datesOf(document)
  const date = updatedIn ?? createdIn
  const ignores = 'The platform ignores the filter by updatedIn and createdIn'
  if (date !== undefined)
    return `${ignores}: for the window from ${from} to ${to} it sent a document of ${new Date(date / 1000).toISOString()}, which is more than two days outside.`
  const unreadable = unreadableDate(document)
  if (unreadable === undefined)
    return `${ignores}, or writes dates in another form than ISO 8601: it sent a document without a readable date.`
  return `The platform writes dates in another form than ISO 8601 (${unreadable}), which increments need: remove increments from the entity, and deploy.`
}

const secondUs = 1_000_000
const maxClockDifferenceMs = 5 * 60_000

/** Times of documents in a window, in microseconds. One that changes while the window is read has a later date. */
function limitsOf({ from }: IncrementWindow, now: number) {
  return { from: Date.parse(from) * 1000, latest: (now + maxClockDifferenceMs) * 1000 + secondUs }
}

async function publish(context: AttemptContext, read: Omit<FoundChanges, 'selection'>): Promise<Delivery> {
  const { session, chain, snapshot, window, scrolled } = read
  const { entity, runId } = session
  const { found, pages } = scrolled
  const selection = selectRecords(pages.lines(), {
    idField: snapshot.idField,
    ignore: snapshot.ignore,
    ...limitsOf(window, context.now()),
    to: Date.parse(window.to) * 1000,
    delivered: await readDelivered(context, chain.delivered),
  })
  if (selection.kind === 'outside-window') throw failWith(ignoredFilter(selection.document, window))
  const manifest = await publishIncrement(context, { ...read, selection })
  // Of the set, since another worker of the run may have stored it.
  const set = manifest ?? { ...window, ...selection, proof: found.proof }
  return {
    status: 'published',
    proof: set.proof,
    uniqueIds: found.uniqueIds,
    pages: found.pages,
    total: found.total ?? found.uniqueIds,
    increment: pick(set, 'from', 'to', 'records', 'older', 'withoutId'),
    manifest: manifest ? setManifestKey(entity.name, runId) : null,
  }
}
