import { chainSnapshotRun, isFullSet } from '../../stored/changes/chain-facts.ts'
import {
  chainSnapshotOf,
  extendByIncrement,
  extendChain,
  moveWindow,
} from '../../stored/changes/chain-moves.ts'
import {
  changesLatestKey,
  refusedChangesKey,
  runIdTime,
  setManifestKey,
  setPrefix,
} from '../../stored/changes/change-keys.ts'
import type { RefusedChanges, SetManifest } from '../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import type { Proposal } from '../../stored/changes/proposal.ts'
import type { SetRequest, SetResult } from '../../stored/changes/publication.ts'
import type { SnapshotRun } from '../../stored/run/run.ts'
import { manifestKey } from '../../stored/snapshots/manifest.ts'
import { dayMs } from '../runtime/durations.ts'
import { pick } from '../runtime/pick.ts'
import type { ChangeSettings, EntitySettings } from '../runtime/settings.ts'
import { Damaged } from './check/damage.ts'
import { notedWindow } from './check/set/window.ts'
import { checkSet } from './check-set.ts'
import { damagedBy } from './damaged.ts'
import { listParts } from './pointers.ts'
import type { Publisher } from './ports.ts'
import { jsonContent, readChain, readManifest, readVersioned } from './read-stored.ts'
import type { Reviewed } from './set/changes-to-check.ts'
import { readOutcome, storeOutcome } from './set/outcome.ts'

/** An entity that has change sets. */
type ChangingEntity = EntitySettings & { readonly changes: ChangeSettings }

/**
 * Checks a proposed set and publishes it, or only moves the window of increments. It may be called again after a crash at
 * any point, also without the proposal.
 */
export async function publishSet(publisher: Publisher, request: SetRequest): Promise<SetResult> {
  try {
    const proposal = await readProposal(publisher, request)
    const result = await publish(publisher, request, proposal).catch((error: unknown) => damagedBy(error, ''))
    if (proposal && isFullSet(proposal)) await storeOutcome(publisher, request, result)
    return result
  } catch (error) {
    return damagedBy(error, '')
  }
}

async function publish(
  publisher: Publisher,
  request: SetRequest,
  proposal: Proposal | undefined,
): Promise<SetResult> {
  const { entity, runId } = request
  let checked: SetManifest | undefined
  for (;;) {
    const stored = await readChain(publisher, entity)
    const chain = stored?.value
    // Erasure may have dropped the set of the tip since.
    if (chain && (chain.tip === runId || chain.sets.some((set) => set.runId === runId))) {
      await listParts(publisher, entity)
      return { kind: 'published', unannounced: chain.tip === runId ? unannouncedTip(chain) : [] }
    }
    if (!proposal) return (await readOutcome(publisher, request)) ?? { kind: 'checking' }
    if (!continues(chain, checked ?? proposal)) return { kind: 'outdated' }
    if (isComparing(chain, proposal, publisher.now())) return { kind: 'comparing' }
    const settings = settingsOf(publisher, entity)
    if (!checked) {
      const decided = await check(publisher, { settings, chain, proposal })
      if ('kind' in decided) return decided
      checked = decided.checked
    }
    const next = await chainAfter(publisher, { settings, chain, checked })
    if (!next) return { kind: 'outdated' }
    if (!(await publisher.objects.putIf(changesLatestKey(entity), stored ?? 'absent', jsonContent(next))))
      continue
    if (!isWindow(checked)) await listParts(publisher, entity, checked)
    return { kind: 'published', unannounced: [...new Set([chain, next].flatMap(unannouncedTip))] }
  }
}

const unannouncedTip = (chain: ChangesLatest | undefined) => (chain && !chain.announced ? [chain.tip] : [])

function settingsOf({ entities }: Publisher, name: string): ChangingEntity {
  const settings = entities.find((entity) => entity.name === name)
  if (!settings || settings.changes === false) throw new Damaged(`The entity ${name} has no change sets.`)
  return { ...settings, changes: settings.changes }
}

async function readProposal(
  publisher: Publisher,
  { entity, runId, proposal: given }: SetRequest,
): Promise<Proposal | undefined> {
  if (given === undefined) return undefined
  if (typeof given === 'string' && !given.startsWith(`${setPrefix(entity, runId)}proposal-`))
    throw new Damaged(`${given} is no proposal of the run ${runId}.`)
  const proposal =
    typeof given === 'string' ? (await readVersioned<Proposal>(publisher, given))?.value : given
  if (!proposal) throw new Damaged(`The proposal of the run ${runId} is missing.`)
  if (proposal.entity !== entity || proposal.runId !== runId)
    throw new Damaged(`The proposal of the run ${runId} is of ${proposal.entity} and ${proposal.runId}.`)
  return proposal
}

/** Whether the chain is still the one that a proposal continues. Neither its tip nor its window moves back. */
function continues(chain: ChangesLatest | undefined, proposal: Proposal | SetManifest): boolean {
  const { kind, runId, base } = proposal
  const isNewer = !chain || runId > chainSnapshotRun(chain)
  if (kind === 'reset') return base === null && isNewer
  if (!chain || chain.reset !== null || chain.tip !== base) return false
  return kind === 'changes' ? isNewer : proposal.to >= (chain.window?.to ?? '')
}

/** Whether a comparison is in progress, which would have to start again if an increment moved the tip. */
const isComparing = (chain: ChangesLatest | undefined, { kind }: Proposal, now: number) =>
  kind === 'increment' && Date.parse(chain?.comparing?.until ?? '') > now

interface SetToPublish {
  readonly settings: ChangingEntity
  readonly chain: ChangesLatest | undefined
  readonly proposal: Proposal
}

/** Checks a set and stores its manifest, which nothing names yet. */
async function check(
  publisher: Publisher,
  { settings, chain, proposal }: SetToPublish,
): Promise<SetResult | { readonly checked: SetManifest }> {
  const { changes, increments } = settings
  const { entity, runId } = proposal
  const isFull = isFullSet(proposal)
  const own = isFull || isWindow(proposal) ? undefined : await publisher.items.readIncrement(entity, runId)
  if (own?.status === 'cancelled') return { kind: 'outdated' }
  const run = isFull ? await publisher.items.readRun(entity, runId) : undefined
  // Its name only claims that somebody did.
  const accepted = proposal.by === undefined ? undefined : await readAccepted(publisher, proposal, run)
  if (accepted === 'outdated') return { kind: 'outdated' }
  const reviewed = accepted?.reviewed
  const isAccepted = run?.acceptDeletes || reviewed?.kind === 'set'
  const rules = {
    ...pick(settings, 'idField', 'query'),
    ignore: changes.ignore,
    maxDeletePercent: isAccepted ? Number.POSITIVE_INFINITY : changes.maxDeletePercent,
    increments: increments && {
      ...pick(increments, 'lookbackMinutes'),
      ...pick(settings, 'totals', 'totalTolerancePercent'),
    },
  }
  const result = await checkSet(publisher, { chain, proposal, rules, reviewed })
  if (result.kind !== 'checked') return result
  const manifest = accepted ? { ...result.manifest, by: accepted.by } : result.manifest
  const checked = isWindow(manifest) ? manifest : await storeManifest(publisher, chain, manifest)
  return checked ? { checked } : { kind: 'outdated' }
}

/** An increment that found nothing has no set. */
const isWindow = (set: SetManifest) => set.kind === 'increment' && set.records === 0

/** What a person has reviewed and accepted, as it is stored. A set is reviewed after its snapshot. */
async function readAccepted(
  publisher: Publisher,
  { entity, runId }: Proposal,
  run: SnapshotRun | undefined,
): Promise<{ readonly by: string; readonly reviewed: Reviewed } | 'outdated'> {
  const set = await publisher.items.readAcceptedChanges(entity)
  const key = refusedChangesKey(entity, runId)
  const refused = set?.runId === runId && (await readVersioned<RefusedChanges>(publisher, key))?.value
  if (refused && (set.refusedAt ?? refused.refusedAt) === refused.refusedAt)
    return { by: set.by, reviewed: { kind: 'set', refused } }
  if (run?.accepted?.withChanges) return { by: run.accepted.by, reviewed: { kind: 'snapshot' } }
  // The set of a newer run was accepted, or the refusal that was reviewed has been replaced.
  if (refused || (set && set.runId > runId)) return 'outdated'
  throw new Damaged(
    `Nothing shows that anybody accepted the change set of the run ${runId}. Accept it again.`,
  )
}

/** Erasure deletes the objects of a set that is in no chain after a day. */
const maxLeftMs = dayMs / 2

/**
 * Writes the manifest, unless a publication of the same set has left one that it may still publish. Then that one is the
 * set of both. Undefined if the chain has moved, or starts again: what was left may be published.
 */
async function storeManifest(
  publisher: Publisher,
  chain: ChangesLatest | undefined,
  manifest: SetManifest,
): Promise<SetManifest | undefined> {
  const { entity, runId, base, snapshotSha256 } = manifest
  const key = setManifestKey(entity, runId)
  for (;;) {
    const left = await readVersioned<SetManifest>(publisher, key)
    const isSame =
      left?.value.base === base &&
      continues(chain, left.value) &&
      // Earlier releases wrote manifests that nobody had checked. They have no hashes.
      snapshotSha256 !== undefined &&
      left.value.snapshotSha256 === snapshotSha256 &&
      runId > runIdTime(publisher.now() - maxLeftMs)
    if (left && isSame) return left.value
    // Read after what was left: a publication that has read an earlier chain can no longer move it.
    const now = left && (await readChain(publisher, entity))?.value
    if (left && (now?.tip !== chain?.tip || now?.reset !== chain?.reset)) return undefined
    if (await publisher.objects.putIf(key, left ?? 'absent', jsonContent(manifest))) return manifest
  }
}

/** The chain with a set that was checked. Undefined if the chain's snapshot is gone, which increments need. */
async function chainAfter(
  publisher: Publisher,
  { settings, chain, checked }: Pick<SetToPublish, 'settings' | 'chain'> & { readonly checked: SetManifest },
): Promise<ChangesLatest | undefined> {
  const { name, changes, increments } = settings
  const retention = { keepDays: changes.keepDays, now: publisher.now() }
  const snapshotOf = async (runId: string) => {
    const manifest = await readManifest(publisher, manifestKey(name, runId))
    return manifest && chainSnapshotOf(manifest, changes.ignore)
  }
  if (checked.kind === 'reset' || checked.kind === 'changes') {
    const snapshot = increments && (await snapshotOf(checked.runId))
    return extendChain(chain, checked, { ...retention, snapshot })
  }
  const snapshot = chain && (chain.snapshot ?? (await snapshotOf(chainSnapshotRun(chain))))
  if (!snapshot) return undefined
  const window = notedWindow(checked, { last: chain.window, snapshot: snapshot.runId })
  return isWindow(checked)
    ? moveWindow(chain, { snapshot, window })
    : extendByIncrement(chain, checked, { ...retention, snapshot, window })
}
