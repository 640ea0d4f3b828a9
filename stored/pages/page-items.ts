import { isNew, type StateTable } from '../dynamodb/state-table.ts'
import { itemExpiry } from '../item-expiry.ts'
import type { Key } from '../item-version.ts'
import { LeaseLost } from '../lease.ts'
import type { CommittedEnd, CommittedPage, EndPosition, Position } from './page.ts'
import { type AttemptId, oldPagePartition, pagePartition } from './page-partition.ts'

export type PageItems = ReturnType<typeof createPageItems>

type PageItem = CommittedPage | CommittedEnd

/** Sorts by number, up to a million pages. */
const sortKey = (page: number) => `page#${String(page).padStart(6, '0')}`

/** One item per committed page of an attempt, and one that closes the attempt's scroll. */
export function createPageItems(table: StateTable) {
  /** Attempts that 1.0.0 began. They are continued where their items are. */
  const ofOldRelease = new Set<string>()
  const partitionOf = (attempt: AttemptId) =>
    ofOldRelease.has(pagePartition(attempt)) ? oldPagePartition(attempt) : pagePartition(attempt)

  /** Throws `LeaseLost` if another worker has committed an item of this number. */
  async function commit(attempt: AttemptId, item: PageItem, now: number): Promise<void> {
    const key: Key = { pk: partitionOf(attempt), sk: sortKey(item.page) }
    const stored = { ...item, ...key, expiresAt: itemExpiry(now) }
    if (await table.put(stored, isNew)) return
    // This write may have succeeded before: the client repeats a write whose response was lost.
    const found = await table.get<PageItem>(key)
    if (!found || nameOf(found) !== nameOf(item)) {
      throw new LeaseLost(`Another worker committed page ${item.page}.`)
    }
  }

  return {
    commitPage: (attempt: AttemptId, page: CommittedPage, now: number) => commit(attempt, page, now),

    commitEnd: (attempt: AttemptId, end: CommittedEnd, now: number) => commit(attempt, end, now),

    /** The committed position of an attempt; undefined before its first page. */
    async lastPosition(attempt: AttemptId): Promise<Position | undefined> {
      for (const pk of [pagePartition(attempt), oldPagePartition(attempt)]) {
        for await (const item of table.query<PageItem>(pk, { newestFirst: true, limit: 1 })) {
          if (pk !== pagePartition(attempt)) ofOldRelease.add(pagePartition(attempt))
          return positionOf(item)
        }
      }
      return undefined
    },

    /** The pages of an attempt in their order. */
    async *pages(attempt: AttemptId): AsyncGenerator<CommittedPage> {
      for await (const item of table.query<PageItem>(partitionOf(attempt))) {
        if (item.kind === 'page') yield item
      }
    },
  }
}

export function positionOf(item: CommittedPage | CommittedEnd): Position {
  return item.kind === 'end' ? endPositionOf(item) : { ...progressAt(item), kind: 'page' }
}

export function endPositionOf(item: CommittedEnd): EndPosition {
  const { isConfirmed, evidence = isConfirmed ? 'confirmed' : 'unconfirmed' } = item
  return { ...progressAt(item), kind: 'end', evidence }
}

function progressAt(item: PageItem) {
  const { page, documentsSoFar, repeatedPages, token, cookies, pageSize, total, openedAt, respondedAt } = item
  return { page, documentsSoFar, repeatedPages, token, cookies, pageSize, total, openedAt, respondedAt }
}

function nameOf(item: PageItem): string {
  return item.kind === 'page' ? item.key : item.id
}
