import { incrementPartsOf } from '../../../stored/changes/chain-facts.ts'
import { setPrefix } from '../../../stored/changes/change-keys.ts'
import type { ChangePart } from '../../../stored/changes/changes.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { Damaged } from '../check/damage.ts'
import { sumOf } from '../check/ranges.ts'
import { shortHash } from '../check/set/canonical.ts'
import type { BaseDocument } from '../check/set/decide.ts'
import { deliveredAtOf, indexDocuments, indexRecords, versionText } from '../check/set/record-entries.ts'
import { type RecordedDocument, readRecord } from '../check/set/records.ts'
import { mapLines } from '../check/stored-lines.ts'
import { snapshotChunks } from '../chunks.ts'
import type { Checker } from '../ports.ts'
import type { ChangesToCheck } from './changes-to-check.ts'
import type { DeliveredRules } from './delivered-rules.ts'
import type { SnapshotSide } from './joined-sides.ts'
import { type DocumentObject, NumberedLines, ownPart, readEach } from './stored-documents.ts'

interface BaseObject extends DocumentObject, BaseDocument {}

export type IndexedSet = Awaited<ReturnType<typeof indexParts>>

/** Indexes the two sides of a set and its parts. */
export async function indexParts(
  publisher: Checker,
  { tip, target, proposal, rules }: ChangesToCheck,
  delivered: DeliveredRules | undefined,
) {
  const { idField, partitionedBy } = target
  const ignored = new Set(rules.ignore)
  const by = partitionedBy?.by
  const longAgo = Number.NEGATIVE_INFINITY
  const increments = incrementPartsOf(tip.set).map((part) => ({
    ...recordsObject(part),
    from: 'increment' as const,
    counted: 0 as const,
    deliveredAt: delivered?.windowEnds.get(part.key) ?? longAgo,
  }))
  const withheldBefore = tip.set.withheldParts.map((part) => ({
    ...documentsObject(part),
    from: 'withheld' as const,
    counted: part.countedAbsences,
    deliveredAt: part.delivered && longAgo,
  }))
  const pages = tip.snapshot.pages.map((page) => ({
    ...pageObject(page),
    from: 'snapshot' as const,
    counted: 0 as const,
    deliveredAt: undefined,
  }))
  const recordRules = { idField, ignored, by, covered: delivered?.covered, versions: new Map() }
  const forgotten = new Map<string, string>()
  const baseIncrements = await readEach(publisher, increments, (text, { deliveredAt }) => {
    if (delivered?.isForgotten(deliveredAt))
      eachDelivered(text, idField, ({ id, after }) => {
        forgotten.set(id, versionText(after, ignored, deliveredAt))
      })
    return indexRecords(text, { ...recordRules, ops: 'r' }).entries
  })
  const versions = new Map([...(delivered?.before ?? []), ...forgotten, ...(delivered?.versions ?? [])])
  const folder = setPrefix(target.entity, target.runId)
  const parts = proposal.parts.map((part) => recordsObject(ownPart(part, folder)))
  const withheldParts = proposal.withheldParts.map((part) => documentsObject(ownPart(part, folder)))
  const versionsAfter = new Map(versions)
  let contentChange = 0n
  const recordEntries = await readEach(publisher, parts, (text) => {
    const read = indexRecords(text, { ...recordRules, ops: 'cud', versions })
    contentChange += read.contentChange
    for (const [id, document] of read.replaced) {
      const deliveredAt = deliveredAtOf(versions.get(id) ?? '')
      if (document) versionsAfter.set(id, versionText(document, ignored, deliveredAt))
      else versionsAfter.delete(id)
    }
    return read.entries
  })
  const index = (text: Buffer) => indexDocuments(text, { idField, by })
  return {
    base: new NumberedLines<BaseObject>([...pages, ...withheldBefore, ...increments]),
    target: new NumberedLines(target.pages.map(pageObject)),
    records: new NumberedLines(parts, recordEntries),
    withheld: new NumberedLines(withheldParts, await readEach(publisher, withheldParts, index)),
    sides: {
      base: {
        snapshot: await snapshotSide(publisher, tip.snapshot),
        withheld: await readEach(publisher, withheldBefore, index),
        increments: baseIncrements,
      },
      target: await snapshotSide(publisher, target),
    },
    /** What the records add to the sum of the contents. */
    contentChange,
    /** What increments have delivered, before and after the set. */
    versions,
    versionsAfter,
  }
}

export async function snapshotSide(publisher: Checker, manifest: Manifest): Promise<SnapshotSide> {
  const { entity, runId, documents } = manifest
  const listed = sumOf(manifest.pages.map((page) => page.documents))
  if (listed !== documents)
    throw new Damaged(
      `The pages of snapshot ${runId} of ${entity} have ${listed} documents; its manifest has ${documents}.`,
    )
  const pages = new Set(manifest.pages.map(({ key }) => key))
  return { chunks: await snapshotChunks(publisher, manifest), pages, documents }
}

interface DeliveredRecord {
  readonly line: string
  /** The hash of the id. */
  readonly id: string
  readonly after: RecordedDocument
}

/** Calls this with each record of an increment. Its damage names the line. */
export const eachDelivered = (text: Buffer, idField: string, visit: (record: DeliveredRecord) => void) =>
  void mapLines(text, (line) => {
    const { id, after } = readRecord(line, { ops: 'r', idField })
    if (id !== undefined && after) visit({ line, id: shortHash(id), after })
  })

export const pageObject = (page: Manifest['pages'][number]) => ({ ...page, holds: 'documents' }) as const
const partObject =
  <Holds extends DocumentObject['holds']>(holds: Holds) =>
  <Part extends ChangePart>({ records, ...part }: Part) => ({ ...part, documents: records, holds })
const documentsObject = partObject('documents')
export const recordsObject = partObject('records')
