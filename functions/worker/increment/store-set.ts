import type { WrittenSet } from '../../chain/announce-set.ts'
import { storeDelivered } from '../../chain/delivered-object.ts'
import { stillReturned } from '../../chain/delivered-versions.ts'
import { protectedAfter } from '../../chain/document-dates.ts'
import { PartWriter, type StorePart } from '../../chain/part-writer.ts'
import { deliveredRecord, identify } from '../../chain/record.ts'
import { idSumText } from '../../documents/id-hash.ts'
import { lineFeed } from '../../documents/json-bytes.ts'
import { pick } from '../../runtime/pick.ts'
import {
  type ChangePart,
  type DeliveredVersions,
  type IncrementManifest,
  incrementPartsOf,
  type SetManifest,
  snapshotContentSum,
} from '../../state/changes/changes.ts'
import type { ChainSnapshot, ChangesLatest, IncrementWindow } from '../../state/changes/changes-latest.ts'
import type { Stored, StoredManifest } from '../../state/objects.aws.ts'
import { manifestKey } from '../../state/snapshots/manifest.ts'
import type { StepContext } from '../context.ts'
import { compact, needsCompaction } from './compaction.ts'
import type { ProvenWindow } from './scroll-window.ts'
import { nearUs, type SelectedRecords } from './select-records.ts'
import type { IncrementSession } from './session.ts'

/** What an increment found. */
export interface FoundChanges {
  readonly session: IncrementSession
  readonly chain: Stored<ChangesLatest>
  readonly snapshot: ChainSnapshot
  readonly window: IncrementWindow
  readonly scrolled: ProvenWindow
  readonly selection: SelectedRecords
}

type StoreContext = Pick<StepContext, 'changes'>

/** Writes the parts, what they deliver and the manifest, which nothing names yet. */
export async function storeSet(
  context: StoreContext,
  found: FoundChanges,
  { value: tip, sha256: baseSha256 }: StoredManifest<SetManifest>,
): Promise<WrittenSet<IncrementManifest>> {
  const { session, window, scrolled, selection } = found
  const { idField, ignore } = found.snapshot
  const parts = await writeRecords(context, found)
  const all = [...incrementPartsOf(tip), ...parts]
  const compacted = needsCompaction(all)
    ? await compact(all, {
        readObject: context.changes.readObject,
        store: partStore(context, found, 'compacted'),
      })
    : undefined
  const contentSum = snapshotContentSum(tip)
  const manifest: IncrementManifest = {
    version: 1,
    entity: session.entity.name,
    runId: session.runId,
    base: tip.runId,
    kind: 'increment',
    idField,
    ignore,
    ...pick(window, 'from', 'to'),
    proof: scrolled.found.proof,
    ...pick(selection, 'records', 'older', 'withoutId'),
    snapshot: manifestKey(session.entity.name, found.snapshot.runId),
    ...(tip.snapshotSha256 && { snapshotSha256: tip.snapshotSha256 }),
    baseSha256,
    stateDocuments: null,
    stateIdSum: null,
    recordsIdSum: idSumText(selection.idSum),
    recordsContentSum: idSumText(selection.contentSum),
    ...(contentSum !== undefined && { snapshotContentSum: contentSum }),
    ...(tip.kind !== 'reset' && tip.withheldSince !== undefined && { withheldSince: tip.withheldSince }),
    parts,
    withheldParts: tip.withheldParts,
    incrementParts: compacted ?? all,
    delivered: await storeVersions(context, found),
  }
  return storeManifest(context, found, manifest)
}

/**
 * Writes the manifest, unless another worker of the run has left one that it may still publish. Then that one is the
 * set of both.
 */
async function storeManifest(
  { changes }: StoreContext,
  { chain: { value: chain } }: FoundChanges,
  manifest: IncrementManifest,
): Promise<WrittenSet<IncrementManifest>> {
  for (;;) {
    const left = await changes.readManifest(manifest.entity, manifest.runId)
    // Neither the tip nor the end of the window ever moves back.
    if (
      left?.value.kind === 'increment' &&
      left.value.base === manifest.base &&
      left.value.to >= (chain.window?.to ?? '')
    )
      return { manifest: left.value, sha256: left.sha256 }
    const sha256 = await changes.writeManifest(manifest, left ?? 'absent')
    if (sha256) return { manifest, sha256 }
  }
}

const partStore =
  (
    { changes }: StoreContext,
    { session: { entity, runId } }: FoundChanges,
    kind: 'records' | 'compacted',
  ): StorePart =>
  (body, sha256) =>
    changes.writePart({ entity: entity.name, runId, kind }, body, sha256)

async function writeRecords(context: StoreContext, found: FoundChanges): Promise<readonly ChangePart[]> {
  const { selection, scrolled, snapshot } = found
  const idField = Buffer.from(snapshot.idField)
  const writer = new PartWriter(partStore(context, found, 'records'))
  let page = 0
  for (const text of scrolled.pages.lines()) {
    const lines = selection.lines.get(page++)
    if (!lines) continue
    let start = 0
    for (let line = 0; start < text.length; line++) {
      const end = text.indexOf(lineFeed, start)
      if (lines.has(line))
        await writer.addLine(...deliveredRecord(identify(text.subarray(start, end), idField)))
      start = end + 1
    }
  }
  return writer.finish()
}

/** Stores what later windows must know of the versions that were delivered. */
function storeVersions(
  { changes }: StoreContext,
  { session: { entity, runId }, window, selection }: FoundChanges,
): Promise<DeliveredVersions> {
  // Comparisons protect what was delivered for at least as long.
  const protectedFrom = protectedAfter(window.to, entity.increments.lookbackMinutes)
  const nextFrom = selection.hasOutside ? protectedFrom - nearUs : protectedFrom
  return storeDelivered(changes, { entity: entity.name, runId }, stillReturned(selection.delivered, nextFrom))
}
