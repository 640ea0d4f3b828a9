import { chainSnapshotRun, comparedSnapshotRun } from '../../stored/changes/chain-facts.ts'
import { setManifestKey } from '../../stored/changes/change-keys.ts'
import type { FullSetManifest, IncrementManifest, SetManifest } from '../../stored/changes/changes.ts'
import type { ChainSnapshot, ChangesLatest } from '../../stored/changes/changes-latest.ts'
import type { FullProposal, Proposal, ProposedIncrement } from '../../stored/changes/proposal.ts'
import { type Manifest, manifestKey, runPrefix } from '../../stored/snapshots/manifest.ts'
import { pick } from '../runtime/pick.ts'
import { Damaged } from './check/damage.ts'
import { type RefusedDeletes, refusedDeletes } from './check/set/deletes.ts'
import { continuationOf } from './check/set/reset.ts'
import { Unfinished } from './chunks.ts'
import type { Checker } from './ports.ts'
import { readLatest, readManifest, readVersioned } from './read-stored.ts'
import type { Reviewed, SetRules } from './set/changes-to-check.ts'
import { checkChanges, checkReset } from './set/check-changes.ts'
import { checkIncrement } from './set/check-increment.ts'
import { checkMembers } from './set/check-members.ts'

export interface SetToCheck {
  /** `changes/<entity>/latest.json`; undefined before the first set. */
  readonly chain: ChangesLatest | undefined
  readonly proposal: Proposal
  readonly rules: SetRules
  readonly reviewed: Reviewed | undefined
}

export type SetCheck =
  | { readonly kind: 'checked'; readonly manifest: SetManifest }
  | RefusedDeletes
  /** The time is up. The next call starts again. */
  | { readonly kind: 'checking' }

/** Whether a set may be published after the tip of its chain. Throws `Damaged`: its reason names the object and both numbers. */
export async function checkSet(publisher: Checker, set: SetToCheck): Promise<SetCheck> {
  try {
    const { chain, proposal } = set
    checkMembers(proposal, { version: 1, base: proposal.kind === 'reset' ? null : (chain?.tip ?? null) })
    const checked =
      proposal.kind === 'increment'
        ? await checkProposedIncrement(publisher, { ...set, proposal })
        : await checkFullSet(publisher, { ...set, proposal })
    return checked.kind === 'refused' ? checked : { kind: 'checked', manifest: checked }
  } catch (error) {
    if (error instanceof Unfinished) return { kind: 'checking' }
    throw error
  }
}

type FullSetToCheck = SetToCheck & { readonly proposal: FullProposal }

async function checkFullSet(
  publisher: Checker,
  set: FullSetToCheck,
): Promise<RefusedDeletes | FullSetManifest> {
  const { chain, proposal, rules, reviewed } = set
  const { entity, runId } = proposal
  const { ignore } = rules
  const target = await readTarget(publisher, set)
  const tipSet = chain && (await readVersioned<SetManifest>(publisher, setManifestKey(entity, chain.tip)))
  const snapshot = chain && (await readStoredSnapshot(publisher, entity, chainSnapshotRun(chain)))
  const tip = chain && { chain, set: tipSet?.value, snapshot }
  const continuation = continuationOf(tip, { target, ignore })
  checkMembers(proposal, {
    kind: continuation.kind === 'changes' ? 'changes' : 'reset',
    idField: target.idField,
    ignore,
    snapshot: manifestKey(entity, runId),
  })
  // A person has reviewed this set: the same snapshot and kind, from the same snapshot of the chain.
  if (reviewed?.kind === 'set') {
    checkMembers(proposal, pick(reviewed.refused, 'entity', 'runId', 'kind'))
    const [compared, now] = [comparedSnapshotRun(reviewed.refused), chain && chainSnapshotRun(chain)]
    if (compared !== now)
      throw new Damaged(`The review compared with the snapshot ${compared}; the chain has ${now}.`)
  }
  if (proposal.kind === 'changes' && continuation.kind === 'changes') {
    checkMembers(proposal, { baseSha256: tipSet?.sha256 })
    return checkChanges(publisher, { tip: continuation.tip, target, proposal, rules, reviewed })
  }
  if (proposal.kind === 'changes' || continuation.kind === 'changes')
    throw new Damaged(`The set of the run ${runId} is ${proposal.kind}; it must be ${continuation.kind}.`)
  checkMembers(proposal, { reason: continuation.reason })
  const checked = await checkReset(publisher, { proposal, target, ignore })
  if (continuation.kind === 'reset') return checked
  const { baseDocuments } = continuation
  // Only the numbers of ids show what a reset deletes.
  const deleted = baseDocuments - target.uniqueIds
  return refusedDeletes({ deleted, baseDocuments }, rules.maxDeletePercent, target) ?? checked
}

/** The published snapshot that the set leads to. It is newer than that of the chain. */
async function readTarget(publisher: Checker, { chain, proposal }: FullSetToCheck): Promise<Manifest> {
  const { entity, runId } = proposal
  const key = manifestKey(entity, runId)
  const target = await readVersioned<Manifest>(publisher, key)
  const latest = (await readLatest(publisher, entity))?.value
  if (!target || !latest || latest.runId < runId)
    throw new Damaged(`The snapshot ${runId} of ${entity} is not published; ${latest?.runId ?? 'none'} is.`)
  if (chain && chainSnapshotRun(chain) >= runId)
    throw new Damaged(
      `The chain of ${entity} ends at the snapshot ${chainSnapshotRun(chain)}; ${runId} is older.`,
    )
  const { value, sha256 } = target
  // Older releases did not record it.
  const known = latest.runId === runId ? latest.sha256 : proposal.snapshotSha256
  if (known !== undefined && known !== sha256)
    throw new Damaged(`${key} has the SHA-256 ${sha256}; ${known} was published.`)
  checkMembers(proposal, { snapshotSha256: known })
  return value
}

/** Undefined if the manifest is gone, or every page of it. If only some are, they are damaged. */
async function readStoredSnapshot(
  publisher: Checker,
  entity: string,
  runId: string,
): Promise<Manifest | undefined> {
  const snapshot = await readManifest(publisher, manifestKey(entity, runId))
  if (!snapshot || snapshot.pages.length === 0) return snapshot
  const keys = new Set(snapshot.pages.map(({ key }) => key))
  for await (const { key } of publisher.objects.list(runPrefix(entity, runId)))
    if (keys.has(key)) return snapshot
  return undefined
}

async function checkProposedIncrement(
  publisher: Checker,
  { chain, proposal, rules }: SetToCheck & { readonly proposal: ProposedIncrement },
): Promise<IncrementManifest> {
  const { entity, runId } = proposal
  const snapshot = chain && (await readChainSnapshot(publisher, entity, chain))
  if (!chain || !snapshot)
    throw new Damaged(`The increment ${runId} of ${entity} has no chain that it can extend.`)
  if (!rules.increments) throw new Damaged(`The entity ${entity} has no increments.`)
  const increments = { ...rules, ...rules.increments }
  await checkIncrement(publisher, { chain, snapshot, proposal, rules: increments })
  const { evidence: _evidence, ...manifest } = proposal
  return manifest
}

/** What increments need of the chain's snapshot, which the chain notes. */
async function readChainSnapshot(
  publisher: Checker,
  entity: string,
  chain: ChangesLatest,
): Promise<ChainSnapshot | undefined> {
  if (chain.snapshot) return chain.snapshot
  const snapshot = await readManifest(publisher, manifestKey(entity, chain.tip))
  const set = await readVersioned<SetManifest>(publisher, setManifestKey(entity, chain.tip))
  return snapshot && set && { ...snapshot, ignore: set.value.ignore }
}
