import { type AppliedPart, appliedParts } from '../../stored/chain/state-parts.ts'
import type { SetCounts } from '../../stored/changes/chain-facts.ts'
import { chainSnapshotRun, countsOf, isFullSet, recordsOf } from '../../stored/changes/chain-facts.ts'
import { setManifestKey } from '../../stored/changes/change-keys.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import type { ChangesLatest, SetSummary } from '../../stored/changes/changes-latest.ts'
import { setsSince } from '../../stored/changes/sets-since.ts'
import type { Stored } from '../../stored/objects.aws.ts'
import type { ReadObject } from '../aws/objects.aws.ts'
import { type Entities, longshoreCommand, requireEntity, type Target } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import { intactLines, objectsOfPages, objectsOfParts, requireCount } from '../snapshot/checked-objects.ts'
import { shellWord } from '../text/shell-word.ts'
import { requireKnownKind } from './known-forms.ts'
import { CannotUpdate } from './write-state.ts'

/** Sets that lead from the state of one run to the state of another. */
export interface ChangeRange {
  readonly since: string
  readonly tip: string
  readonly sets: readonly SetSummary[]
}

export interface ChangeSource {
  readonly bucket: string
  readonly configuration: Entities
  readonly entity: string
  readonly target: Target
  /** The arguments of the command that downloads the snapshot again. */
  readonly download: string
}

/** The arguments of the command that replaces a downloaded snapshot; without a file, the one under its usual name. */
export function downloadAgain(entity: string, file?: string): string {
  const output = file === undefined ? '' : ` -o ${shellWord(file)}`
  return `pull ${entity}${output} --force`
}

/** The sets after `since`, or else all that are kept. Throws `CommandError` if none lead from `since` to the tip. */
export async function readRange(
  store: ChangeSetStore,
  since: string | undefined,
  source: ChangeSource,
): Promise<ChangeRange> {
  const { value: chain } = await requireChain(store, source)
  if (since === undefined) return wholeRange(chain)
  const sets = setsSince(chain, since)
  if (sets) return { since, tip: chain.tip, sets }
  throw leadsNowhere(source, since, 'then continue from its run')
}

/** The chain as it is stored. Throws `CommandError` if there is none. */
export async function requireChain(
  store: Pick<ChangeSetStore, 'readLatest'>,
  { configuration, entity, target }: Pick<ChangeSource, 'configuration' | 'entity' | 'target'>,
): Promise<Stored<ChangesLatest>> {
  const chain = await store.readLatest(entity)
  if (chain) return chain
  requireEntity(configuration, entity)
  const fix = `check that 'changes' is not false in the configuration, then run ${longshoreCommand(target, `sync ${entity} --watch`)}`
  throw new CommandError(`${entity} has no change sets.`, { fix })
}

/** No sets start from this run. `next`: what to do after the snapshot was downloaded again. */
export const leadsNowhere = ({ entity, target, download }: ChangeSource, since: string, next: string) =>
  new CommandError(
    `No change sets of ${entity} start from run ${since}: they expired, the chain was reset, or the run has none.`,
    { fix: `download the snapshot again (${longshoreCommand(target, download)}), ${next}` },
  )

/** A reset has no records, so the range starts after it. */
function wholeRange({ tip, sets }: ChangesLatest): ChangeRange {
  const changes = sets.filter(({ kind }) => kind !== 'reset')
  return { since: changes[0]?.base ?? tip, tip, sets: changes }
}

/** Reads a set's manifest. Throws `CommandError` if it is missing, or of a kind that is not known. */
export async function requireSet(
  store: ChangeSetStore,
  runId: string,
  source: ChangeSource,
): Promise<SetManifest> {
  const { entity, target, download } = source
  const manifest = await store.readManifest(entity, runId)
  if (manifest) {
    requireKnownKind(manifest.value)
    return manifest.value
  }
  const fix = `download the snapshot again: ${longshoreCommand(target, download)}`
  throw new CommandError(`The manifest ${setManifestKey(entity, runId)} is not in the bucket.`, { fix })
}

/** The records of these sets in order, as lines. Throws `DamagedData`. */
export async function* recordLines(
  manifests: readonly SetManifest[],
  read: ReadObject,
  onProgress?: (done: number) => void,
): AsyncGenerator<Buffer> {
  for (const manifest of manifests) requireSetCount(manifest)
  const objects = manifests.flatMap(({ parts }) => objectsOfParts(parts))
  yield* intactLines(objects, read, onProgress)
}

/** Throws `DamagedData` unless the parts of a set have as many records as it counts. */
function requireSetCount(manifest: SetManifest): void {
  const key = setManifestKey(manifest.entity, manifest.runId)
  requireCount(key, objectsOfParts(manifest.parts), recordsOf(manifest))
}

/** Lines that belong to the state at the tip. A later one of a document replaces earlier ones. */
export interface StepLines {
  readonly holds: 'records' | 'documents'
  readonly lines: Buffer
}

/** What leads from the state of a run to the tip. */
export interface Steps {
  readonly range: ChangeRange
  readonly totals: SetCounts
  readonly last: SetManifest
  /** In the order in which they are applied. Throws `DamagedData`. */
  readonly lines: (read: ReadObject) => AsyncIterable<StepLines>
}

/**
 * Reads what to apply to a file of a run. The file may be the run's snapshot, which lacks the documents that its set
 * withholds. Throws `CommandError` if nothing leads from the run to the tip, and `CannotUpdate` if that was erased.
 */
export async function readSteps(store: ChangeSetStore, since: string, source: ChangeSource): Promise<Steps> {
  const { value: chain } = await requireChain(store, source)
  const isSnapshot = chainSnapshotRun(chain) === since
  // The list of sets may lack the oldest increments since the snapshot. The tip names what they delivered.
  const sets = setsSince(chain, since) ?? (isSnapshot ? chain.sets : undefined)
  if (!sets) throw leadsNowhere(source, since, 'then continue from its run')
  if (chain.erased && (isSnapshot || sets.some(isFullSet)))
    throw new CannotUpdate(
      `Nothing leads from run ${since} to the tip ${chain.tip}: a part of what this takes was erased.`,
    )
  const last = await requireSet(store, chain.tip, source)
  const begins = isSnapshot ? 'at its snapshot' : 'elsewhere'
  const parts = await appliedParts({ sets, last, begins }, async (runId) => {
    const set = await requireSet(store, runId, source)
    requireSetCount(set)
    return set
  })
  return {
    range: { since, tip: chain.tip, sets },
    totals: { ...totalsOf(sets), delivered: deliveredIn(parts) },
    last,
    async *lines(read) {
      let at = 0
      for await (const lines of intactLines(objectsOfPages(parts), read))
        yield { holds: parts[at++]?.holds ?? 'documents', lines }
    },
  }
}

const deliveredIn = (parts: readonly AppliedPart[]) =>
  parts.reduce((sum, { from, documents }) => (from === 'increment' ? sum + documents : sum), 0)

export function totalsOf(sets: readonly SetSummary[]): SetCounts {
  const sum = (key: keyof SetCounts) => sets.reduce((total, set) => total + countsOf(set)[key], 0)
  return {
    created: sum('created'),
    updated: sum('updated'),
    deleted: sum('deleted'),
    delivered: sum('delivered'),
  }
}
