import { ProblemError } from '../http/problem.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import { runIdPattern } from '../state/run.ts'
import type { SnapshotStore } from '../state/snapshots.aws.ts'
import type { StateStore } from '../state/sync-state.aws.ts'
import type { SignLinks } from './links.aws.ts'

export interface SnapshotContext {
  readonly state: Pick<StateStore, 'readEntity'>
  readonly snapshots: Pick<SnapshotStore, 'readManifest'>
  readonly signLinks: SignLinks
}

const maxPages = 1_000

/** Where an answer begins. It names the snapshot, so that consecutive answers never mix two snapshots. */
interface Position {
  readonly runId: string
  readonly page: number
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
  const end = position.page + maxPages
  const pages = manifest.pages.slice(position.page, end)
  const links = await signLinks(pages.map(({ key }) => key))
  return {
    ...manifest,
    pages: pages.map((page, index) => ({ ...page, link: links[index] })),
    ...(end < manifest.pages.length && {
      next: `?cursor=${formatCursor({ runId: position.runId, page: end })}`,
    }),
  }
}

async function latestPosition(
  state: SnapshotContext['state'],
  entity: EntitySettings,
): Promise<Position | undefined> {
  const { latest } = await state.readEntity(entity.name)
  return latest && { runId: latest.runId, page: 0 }
}

const formatCursor = ({ runId, page }: Position) => `${runId}.${page}`

function parseCursor(cursor: string): Position {
  const [, runId = '', page] = /^(.*)\.(\d{1,7})$/.exec(cursor) ?? []
  if (runIdPattern.test(runId)) return { runId, page: Number(page) }
  throw new ProblemError('invalid-request', 'The cursor is malformed. Use the URL in next unchanged.', {
    parameter: 'cursor',
  })
}
