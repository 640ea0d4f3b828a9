import { objectReader } from '../aws/objects.aws.ts'
import { Interrupted } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { openState } from '../sync/state.ts'
import { checkedObjects, objectsOfPages } from './checked-objects.ts'
import { readPublished } from './published.ts'
import { compareMetadata, type Mismatch, verification } from './verification.ts'

export interface Verified {
  readonly entity: string
  readonly runId: string
  readonly documents: number
  readonly uniqueIds: number
  readonly pages: number
  readonly mismatches: readonly Mismatch[]
}

/** Compares the published snapshot with its manifest and the state table. Throws `CommandError` and `Interrupted`. */
export async function verifySnapshot(entity: string, operation: Operation): Promise<Verified> {
  const { deployment, target, reporter, signal } = operation
  const published = await readPublished(deployment, entity, target)
  const { manifest } = published
  const { latest: recorded } = await openState(deployment.table).readEntity(entity)
  const idField = deployment.configuration.entities.find(({ name }) => name === entity)?.idField ?? 'id'
  const verifying = verification(idField)
  const progress = reporter.progress(entity)
  let done = 0
  try {
    for await (const checked of checkedObjects(
      objectsOfPages(manifest.pages),
      objectReader(deployment.bucket, signal),
    )) {
      verifying.add(checked)
      done += checked.object.count
      progress.show(done, manifest.documents)
    }
  } catch (error) {
    if (signal.aborted) throw new Interrupted('Interrupted.')
    throw error
  } finally {
    progress.end()
  }
  const { documents, uniqueIds, mismatches: inPages } = verifying.end(published)
  const mismatches = [...compareMetadata(entity, { ...published, recorded }), ...inPages]
  const { runId, pages } = manifest
  return { entity, runId, documents, uniqueIds, pages: pages.length, mismatches }
}
