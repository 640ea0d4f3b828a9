import { ProblemError } from '../../../functions/http/problem.ts'
import type { ReadObject } from '../../../operator/aws/objects.aws.ts'
import type { PagePosition } from '../../../operator/history/find-document.ts'
import { intactLines, objectsOfPages, readIntactLines } from '../../../operator/snapshot/checked-objects.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import type { DocumentRow } from '../../contract/documents.ts'
import type { DocumentsResponse } from '../../contract/snapshots.ts'
import type { ConsoleResponse } from '../respond.ts'
import { snapshotSummary } from './kept-snapshots.ts'
import { documentRow } from './values.ts'

const maxDocuments = 50

/** Some documents of a page, with the beginnings of their values. */
export async function readPage(
  manifest: Manifest,
  { page, line }: PagePosition,
  read: ReadObject,
): Promise<DocumentsResponse> {
  const lines = await linesOfPage(manifest, page, read)
  return {
    snapshot: snapshotSummary(manifest),
    page,
    from: line,
    pageDocuments: lines.length,
    documents: lines
      .slice(line, line + maxDocuments)
      .map((text, index) => documentRow(stored(manifest, { page, line: line + index }, text), 'beginning')),
  }
}

/** One document with its whole values. Throws `ProblemError` if there is none. */
export async function readDocument(
  manifest: Manifest,
  position: PagePosition,
  read: ReadObject,
): Promise<DocumentRow> {
  const text = (await linesOfPage(manifest, position.page, read))[position.line]
  if (!text) throw new ProblemError('not-found', 'The page has fewer documents.')
  return documentRow(stored(manifest, position, text), 'whole')
}

export function stored({ entity, runId, idField }: Manifest, { page, line }: PagePosition, text: Buffer) {
  const path = `/entities/${encodeURIComponent(entity)}/snapshots/${runId}/pages/${page}/documents/${line}`
  return { line: text, idField, path }
}

async function linesOfPage(manifest: Manifest, page: number, read: ReadObject): Promise<Buffer[]> {
  const object = objectsOfPages(manifest.pages)[page - 1]
  if (!object) throw new ProblemError('not-found', 'The snapshot has fewer pages.')
  return readIntactLines(object, read)
}

/** All documents as one file, one per line. Each page is checked before it is sent. */
export function downloadOf(manifest: Manifest, read: ReadObject): ConsoleResponse {
  return {
    status: 200,
    headers: {
      'content-type': 'application/x-ndjson',
      'content-disposition': `attachment; filename="${manifest.entity}-${manifest.runId}.ndjson"`,
    },
    body: intactLines(objectsOfPages(manifest.pages), read),
  }
}
