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
  incrementPartsOf,
  type SetManifest,
  snapshotContentSum,
} from '../../state/changes/changes.ts'
import type { ChainSnapshot, ChangesLatest, IncrementWindow } from '../../state/changes/changes-latest.ts'
import type { StoredManifest } from '../../state/objects.aws.ts'
import type { Received } from '../../state/pages/page.ts'
import { manifestKey } from '../../state/snapshots/manifest.ts'
import type { StepContext } from '../context.ts'
import { compact, needsCompaction } from './compaction.ts'
import type { ProvenWindow } from './scroll-window.ts'
import { nearUs, type SelectedRecords } from './select-records.ts'
import type { IncrementSession } from './session.ts'

/** What an increment found. */
export interface FoundChanges {
  readonly session: IncrementSession
  readonly chain: ChangesLatest
  readonly snapshot: ChainSnapshot
  readonly window: IncrementWindow
  /** The search at the beginning. */
  readonly searched: Received
  readonly scrolled: ProvenWindow
  readonly selection: SelectedRecords
}

type StoreContext = Pick<StepContext, 'changes' | 'now'>

/** Writes the parts, what they deliver and the proposal, which nothing names yet. Returns the proposal's key. */
export async function storeProposal(
  context: StoreContext,
  found: FoundChanges,
  { value: tip, sha256: baseSha256 }: StoredManifest<SetManifest>,
): Promise<string> {
  const { selection } = found
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
  const { entity } = found.session
  return context.changes.writeProposal(
    {
      version: 1,
      ...foundInWindow(found),
      kind: 'increment',
      idField,
      ignore,
      records: selection.records,
      snapshot: manifestKey(entity.name, found.snapshot.runId),
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
    },
    context.now(),
  )
}

/** What an increment found, whether or not there is something new. */
export function foundInWindow({ session, chain, window, searched, scrolled, selection }: FoundChanges) {
  const { entity, runId } = session
  return {
    entity: entity.name,
    runId,
    base: chain.tip,
    ...pick(window, 'from', 'to'),
    proof: scrolled.found.proof,
    ...pick(selection, 'older', 'withoutId'),
    evidence: { search: searched, scrolls: scrolled.scrolls, equal: selection.equal },
  }
}

const partStore =
  (
    { changes, now }: StoreContext,
    { session: { entity, runId } }: FoundChanges,
    kind: 'records' | 'compacted',
  ): StorePart =>
  (body, sha256) =>
    changes.writePart({ entity: entity.name, runId, kind, now: now() }, body, sha256)

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
  { changes, now }: StoreContext,
  { session: { entity, runId }, window, selection }: FoundChanges,
): Promise<DeliveredVersions> {
  // Comparisons protect what was delivered for at least as long.
  const protectedFrom = protectedAfter(window.to, entity.increments.lookbackMinutes)
  const nextFrom = selection.hasOutside ? protectedFrom - nearUs : protectedFrom
  return storeDelivered(
    changes,
    { entity: entity.name, runId, now: now() },
    stillReturned(selection.delivered, nextFrom),
  )
}
