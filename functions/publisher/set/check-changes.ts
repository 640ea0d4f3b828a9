import { snapshotContentSum } from '../../../stored/changes/chain-facts.ts'
import type { ChangesManifest, RefusedChanges, ResetManifest } from '../../../stored/changes/changes.ts'
import type { FullProposal, ProposedReset } from '../../../stored/changes/proposal.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { Damaged } from '../check/damage.ts'
import { IdTable } from '../check/id-table.ts'
import { sumOf } from '../check/ranges.ts'
import { canonicalForm, hashNumber, shortHash, sumText } from '../check/set/canonical.ts'
import { type RefusedDeletes, refusedDeletes } from '../check/set/deletes.ts'
import { linesOf } from '../check/stored-lines.ts'
import type { Checker } from '../ports.ts'
import type { ChangesToCheck } from './changes-to-check.ts'
import { checkMembers } from './check-members.ts'
import { compareDocuments } from './compare-documents.ts'
import { checkContentAge } from './content-age.ts'
import { ChangeCount, maxSummedDocuments } from './count-changes.ts'
import { checkVersions, readDeliveredRules } from './delivered-rules.ts'
import { indexParts, pageObject, recordsObject, snapshotSide } from './index-parts.ts'
import { joinSides } from './joined-sides.ts'
import { NumberedLines, readEach, readTexts } from './stored-documents.ts'

/** Checks a set of changes, and adds the sum of the contents. Throws `Damaged`, and `Unfinished` when the time is up. */
export async function checkChanges(
  publisher: Checker,
  set: ChangesToCheck,
): Promise<RefusedDeletes | ChangesManifest> {
  const { tip, target, proposal, rules, reviewed } = set
  const delivered = await readDeliveredRules(publisher, set)
  const indexed = await indexParts(publisher, set, delivered)
  const count = new ChangeCount({
    indexed,
    target,
    delivered,
    reviewed: reviewed?.kind === 'set' ? await readReviewed(publisher, reviewed.refused) : reviewed?.kind,
  })
  await joinSides(publisher, { ...indexed, ...indexed.sides }, (pass) => count.add(pass))
  checkSides(tip, target, count)
  const knownSum = snapshotContentSum(tip.set)
  const change = await compareDocuments(publisher, {
    ...indexed,
    claims: count.claims,
    summed: knownSum === undefined ? [] : count.summed,
    idField: target.idField,
    ignore: rules.ignore,
  })
  checkMembers(proposal, count.members())
  await checkContentAge(publisher, set, count.carriesWithheld)
  const stateContentSum =
    knownSum === undefined
      ? await wholeSum(publisher, { proposal, target, ignore: rules.ignore, counting: count.counting })
      : sumText(BigInt(`0x${knownSum}`) + change + indexed.contentChange)
  await checkVersions(publisher, set, { known: delivered?.versions, after: indexed.versionsAfter })
  const maxPercent = count.isReviewed ? Number.POSITIVE_INFINITY : rules.maxDeletePercent
  const deletes = { deleted: count.outcomes.deleted, baseDocuments: count.baseDocuments }
  return refusedDeletes(deletes, maxPercent, target) ?? withSums(proposal, { stateContentSum })
}

/** The sums are those of the proposal, if it has them: a set that was published does. */
function withSums<P extends FullProposal, S extends object>(proposal: P, sums: S): P & S {
  const all = { ...sums, ...proposal }
  checkMembers(all, sums)
  return all
}

/** Compares both sides with what is known of them. */
function checkSides({ set }: ChangesToCheck['tip'], target: Manifest, count: ChangeCount): void {
  const { baseDocuments } = count
  const baseIdSum = sumText(count.baseIdSum)
  const wasSummed = set.stateIdSum ?? baseIdSum
  if (baseDocuments !== (set.stateDocuments ?? baseDocuments) || baseIdSum !== wasSummed)
    throw new Damaged(
      `The state of the set ${set.runId} has ${baseDocuments} documents with the sum ${baseIdSum}; its manifest has ${set.stateDocuments} with ${wasSummed}.`,
    )
  checkUniqueIds(target, count.targetIds)
}

/** Version 1.0.0 counted ids by 64 bits, so it may have counted fewer. */
function checkUniqueIds({ runId, uniqueIds }: Manifest, counted: number): void {
  if (counted < uniqueIds)
    throw new Damaged(`The snapshot ${runId} has ${counted} unique ids; its manifest has ${uniqueIds}.`)
}

/** The ids of a review, one per line in hex. */
async function readReviewed(publisher: Checker, { reviewedParts = [] }: RefusedChanges): Promise<IdTable> {
  const parts = reviewedParts.map(recordsObject)
  const ids = new IdTable(sumOf(parts.map((part) => part.documents)))
  await readEach(publisher, parts, (text) => {
    for (const line of linesOf(text)) {
      const id = Buffer.from(line, 'hex')
      if (id.length !== 16) throw new Damaged(`has the line ${line}, which is no hash of an id`)
      ids.numberOf(id, 0)
    }
  })
  return ids
}

interface WholeState {
  readonly proposal: FullProposal
  readonly target: Manifest
  readonly ignore: readonly string[]
  /** 1 for each line of the target that counts. What is withheld always does. */
  readonly counting: Uint8Array
}

/** Beyond these the contents are not added up in time. The bytes are compressed. */
const maxSummed = { documents: maxSummedDocuments, bytes: 2 * 1024 ** 3 }

/** The sum of the contents of all documents, where no earlier set has one. */
async function wholeSum(
  publisher: Checker,
  { proposal, target, ignore, counting }: WholeState,
): Promise<string | undefined> {
  const objects = [...target.pages.map(pageObject), ...proposal.withheldParts.map(recordsObject)]
  const isTooLarge = (member: keyof typeof maxSummed) =>
    sumOf(objects.map((object) => object[member])) > maxSummed[member]
  if (isTooLarge('documents') || isTooLarge('bytes')) return undefined
  const ignored = new Set(ignore)
  let sum = 0n
  let at = 0
  for await (const { text } of readTexts(publisher, objects))
    for (const line of linesOf(text))
      if (counting[at++] !== 0) sum += hashNumber(shortHash(canonicalForm(line, ignored)))
  return sumText(sum)
}

/** Checks a set that starts a chain, and adds the sums, which are those of the snapshot. */
export async function checkReset(
  publisher: Checker,
  { proposal, target, ignore }: { readonly proposal: ProposedReset } & Pick<WholeState, 'target' | 'ignore'>,
): Promise<ResetManifest> {
  const side = await snapshotSide(publisher, target)
  const nothing = {
    snapshot: { chunks: [], pages: new Set<string>(), documents: 0 },
    withheld: [],
    increments: [],
  }
  const none = new NumberedLines([])
  const counting = new Uint8Array(Math.min(target.documents, maxSummedDocuments))
  let [uniqueIds, idSum] = [0, 0n]
  await joinSides(publisher, { base: nothing, target: side, records: none, withheld: none }, ({ lines }) => {
    for (let id = 0; id < lines.ids.size; id++) counting[lines.row(id).target ?? 0] = 1
    uniqueIds += lines.ids.size
    idSum += lines.ids.sum()
  })
  checkUniqueIds(target, uniqueIds)
  checkMembers(proposal, { parts: [], withheldParts: [] })
  const stateContentSum = await wholeSum(publisher, { proposal, target, ignore, counting })
  return withSums(proposal, { stateDocuments: uniqueIds, stateIdSum: sumText(idSum), stateContentSum })
}
