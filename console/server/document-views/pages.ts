import { ProblemError } from '../../../functions/http/result.ts'
import { pick } from '../../../functions/runtime/pick.ts'
import type { ReadObject } from '../../../operator/aws/objects.aws.ts'
import type { PagePosition } from '../../../operator/history/find-document.ts'
import { intactLines, objectsOfPages, readIntactLines } from '../../../operator/snapshot/checked-objects.ts'
import { readSnapshots } from '../../../stored/inventory/stored-entity.ts'
import { runIdPattern } from '../../../stored/run/run.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import type { SnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import type { DocumentRow } from '../../contract/change-sets.ts'
import type { DocumentsResponse, SnapshotSummary, SnapshotsResponse } from '../../contract/snapshots.ts'
import type { ConsoleResponse } from '../respond.ts'
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

const maxCachedManifests = 32

/** The snapshots that retention has not deleted. A manifest never changes, so it is read once. */
export function createKeptSnapshots(
  snapshots: Pick<SnapshotStore, 'listRuns' | 'readLatest' | 'readManifest'>,
) {
  const cache = new Map<string, Manifest>()

  /** Undefined if the snapshot does not exist. */
  async function find(entity: string, runId: string): Promise<Manifest | undefined> {
    if (!runIdPattern.test(runId)) return undefined
    const key = `${entity}/${runId}`
    const known = cache.get(key)
    if (known) return known
    const manifest = await snapshots.readManifest(entity, runId)
    if (manifest) cache.set(key, manifest)
    const [oldest] = cache.keys()
    if (cache.size > maxCachedManifests && oldest !== undefined) cache.delete(oldest)
    return manifest
  }

  const readAll = (entity: string) => readSnapshots({ ...snapshots, readManifest: find }, entity)

  return {
    find,
    readAll,

    async list(entity: string): Promise<SnapshotsResponse> {
      const [latest, kept] = await Promise.all([snapshots.readLatest(entity), readAll(entity)])
      return { published: latest?.value.runId ?? null, snapshots: kept.map(snapshotSummary) }
    },

    /** Throws `ProblemError` if the snapshot is gone. */
    async read(entity: string, runId: string): Promise<Manifest> {
      const manifest = await find(entity, runId)
      if (manifest) return manifest
      throw new ProblemError(
        'not-found',
        'This snapshot does not exist. keepSnapshots limits how many are kept.',
      )
    },
  }
}

function snapshotSummary(manifest: Manifest): SnapshotSummary {
  const { pages } = manifest
  return {
    ...pick(manifest, 'runId', 'openedAt', 'finishedAt'),
    ...pick(manifest, 'documents', 'uniqueIds', 'reportedTotal', 'proof', 'attempts'),
    republishedFrom: manifest.republishedFrom ?? null,
    pages: pages.length,
    bytes: pages.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
