import { stillReturned } from '../../../stored/chain/delivered-versions.ts'
import { protectedAfter } from '../../../stored/chain/document-dates.ts'
import { PartWriter, type StorePart, storeDelivered } from '../../../stored/chain/part-writer.ts'
import { deliveredRecord, identify } from '../../../stored/chain/record.ts'
import { incrementPartsOf, snapshotContentSum } from '../../../stored/changes/chain-facts.ts'
import type { ChangePart, DeliveredVersions, SetManifest } from '../../../stored/changes/changes.ts'
import type { ChainSnapshot, ChangesLatest, IncrementWindow } from '../../../stored/changes/changes-latest.ts'
import type { ProposedIncrement } from '../../../stored/changes/proposal.ts'
import { idSumText } from '../../../stored/documents/id-hash.ts'
import { lineFeed } from '../../../stored/documents/json-bytes.ts'
import type { StoredManifest } from '../../../stored/objects.aws.ts'
import { manifestKey } from '../../../stored/snapshots/manifest.ts'
import { pick } from '../../runtime/pick.ts'
import type { Exchange } from '../../upstream/recorded-exchange.ts'
import type { StepContext } from '../context.ts'
import { compact, needsCompaction } from './compaction.ts'
import type { ProvenWindow } from './scroll-window.ts'
import { nearUs, type SelectedRecords } from './select-records.ts'
import type { IncrementSession } from './session.ts'

export interface FoundChanges {
  readonly session: IncrementSession
  readonly chain: ChangesLatest
  readonly snapshot: ChainSnapshot
  readonly window: IncrementWindow
  /** The response of the search at the beginning. */
  readonly clock: Exchange
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
  const parts = await writeRecords(context, found)
  const all = [...incrementPartsOf(tip), ...parts]
  const compacted = needsCompaction(all)
    ? await compact(all, {
        readObject: context.changes.readObject,
        store: partStore(context, found, 'compacted'),
      })
    : undefined
  const contentSum = snapshotContentSum(tip)
  return context.changes.writeProposal(
    {
      ...proposalOf(found),
      ...(tip.snapshotSha256 && { snapshotSha256: tip.snapshotSha256 }),
      baseSha256,
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

/** What an increment proposes that found nothing. */
export function proposalOf(found: FoundChanges): ProposedIncrement {
  const { session, chain, snapshot, window, clock, scrolled, selection } = found
  const { entity, runId } = session
  return {
    version: 1,
    entity: entity.name,
    runId,
    base: chain.tip,
    kind: 'increment',
    ...pick(snapshot, 'idField', 'ignore'),
    ...pick(window, 'from', 'to'),
    proof: scrolled.found.proof,
    ...pick(selection, 'records', 'older', 'withoutId'),
    snapshot: manifestKey(entity.name, snapshot.runId),
    stateDocuments: null,
    stateIdSum: null,
    recordsIdSum: idSumText(selection.idSum),
    recordsContentSum: idSumText(selection.contentSum),
    parts: [],
    withheldParts: [],
    incrementParts: [],
    delivered: { key: '', versions: 0, bytes: 0, sha256: '' },
    evidence: { clock, equal: selection.equal, scrolls: scrolled.scrolls },
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
