import type { ValueText } from '../../contract/change-sets.ts'
import type { DocumentsResponse, SnapshotSummary, SnapshotsResponse } from '../../contract/snapshots.ts'
import { plural } from './format.ts'

/** Behind a snapshot: whether readers see it, and that an older one with the same time was republished. */
export function marksText(
  { runId, republishedFrom }: Pick<SnapshotSummary, 'runId' | 'republishedFrom'>,
  published: string | null,
): string {
  const marks = [
    ...(republishedFrom === null ? [] : ['republished']),
    ...(runId === published ? ['published'] : []),
  ]
  return marks.length === 0 ? '' : ` (${marks.join(', ')})`
}

/** The snapshot of a run, or else the published one. */
export function shownSnapshot(
  { published, snapshots }: SnapshotsResponse,
  runId: string | undefined,
): SnapshotSummary | undefined {
  return snapshots.find((one) => one.runId === (runId ?? published))
}

/** Documents that are shown at once. */
const documentsPerPart = 50

/** What is shown of a snapshot: one part of one of its pages. Both count from 0. */
export interface SnapshotPosition {
  readonly page: number
  readonly part: number
}

/** Each page is shown from its first document. */
export const pageStart = (page: number): SnapshotPosition => ({ page, part: 0 })

/** The segment and the query of a position's path. */
export const positionPath = ({ page, part }: SnapshotPosition) => ({
  page: String(page + 1),
  from: String(part * documentsPerPart),
})

/** How many parts a page has; a page that is not known yet has none. */
export const partsOf = (response: Pick<DocumentsResponse, 'pageDocuments'> | undefined) =>
  Math.ceil((response?.pageDocuments ?? 0) / documentsPerPart)

/** `Documents 51 to 100 of 1,000 documents on this page` */
export function documentsText(response: Pick<DocumentsResponse, 'from' | 'documents' | 'pageDocuments'>) {
  const { from, documents, pageDocuments } = response
  return `Documents ${from + 1} to ${from + documents.length} of ${plural(pageDocuments, 'document')} on this page`
}

/** The id of a document as it is typed to find it: a string without its quotes. */
export function plainId({ text, length }: ValueText): string {
  if (text.length < length || !text.startsWith('"')) return text
  return String(JSON.parse(text))
}
