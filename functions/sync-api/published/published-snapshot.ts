import type { SnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import type { StateStore } from '../../../stored/sync-state.ts'
import { ProblemError } from '../../http/result.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { SignLinks } from './links.aws.ts'
import { linkedPages, type PartsCursor, parseCursor } from './page-cursor.ts'

export interface SnapshotContext {
  readonly state: Pick<StateStore, 'readEntity'>
  readonly snapshots: Pick<SnapshotStore, 'readManifest'>
  readonly signLinks: SignLinks
}

/**
 * The manifest of an entity's published snapshot with a link to each page, at most 1,000 pages from the cursor on.
 * `next` is the relative URL of the following pages. Throws `ProblemError`.
 */
export async function readPublishedSnapshot(
  { state, snapshots, signLinks }: SnapshotContext,
  entity: EntitySettings,
  cursor: string | undefined,
) {
  const position = cursor === undefined ? await latestPosition(state, entity) : parseCursor(cursor)
  const manifest = position && (await snapshots.readManifest(entity.name, position.runId))
  if (!manifest) {
    const detail =
      cursor === undefined
        ? 'No snapshot of this entity has been published yet. Start a sync with POST /syncs/{entity}.'
        : 'The snapshot of this cursor no longer exists. Start again without a cursor.'
    throw new ProblemError('not-found', detail)
  }
  return { ...manifest, ...(await linkedPages(signLinks, manifest.pages, position)) }
}

async function latestPosition(
  state: SnapshotContext['state'],
  entity: EntitySettings,
): Promise<PartsCursor | undefined> {
  const { latest } = await state.readEntity(entity.name)
  return latest && { runId: latest.runId, offset: 0 }
}
