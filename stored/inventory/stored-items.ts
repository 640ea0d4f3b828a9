import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { TableClient, TableItem } from '../dynamodb/state-table.ts'
import type { Key } from '../item-version.ts'
import { oldPagePartition, pagePartition } from '../pages/page-partition.ts'
import { attemptOfPageKey } from '../snapshots/manifest.ts'
import type { Reason } from './reason.ts'

/** An item of the state table: whose it is, and why it stays. */
export interface StoredItem {
  readonly key: Key
  readonly owner: 'state' | 'run' | 'pages'
  readonly reasons: readonly Reason[]
  /** Of a run that was started by the state machine. */
  readonly execution: string | undefined
}

const maxConcurrentRequests = 16

/** The items of an entity, its runs and the pages whose objects are in the bucket. */
export const readItems = (
  table: TableClient,
  entity: string,
  pageKeys: Iterable<string>,
): Promise<StoredItem[]> => itemsInAll(table, [`entity#${entity}`, ...partitionsOf(pageKeys)])

/** The items of attempts that have pages among the first keys and none among the others. */
export function readPageItems(
  table: TableClient,
  pageKeys: Iterable<string>,
  keptKeys: Iterable<string>,
): Promise<StoredItem[]> {
  const kept = partitionsOf(keptKeys)
  return itemsInAll(
    table,
    [...partitionsOf(pageKeys)].filter((partition) => !kept.has(partition)),
  )
}

/** The partitions of the attempts to which these objects belong. */
function partitionsOf(pageKeys: Iterable<string>): Set<string> {
  const partitions = new Set<string>()
  for (const key of pageKeys) {
    const [, , runId = ''] = key.split('/')
    const attempt = attemptOfPageKey(key)
    if (!attempt) continue
    const range = attempt.range === '' ? {} : { range: Number(attempt.range.slice(1)) }
    const named = { runId, attempt: attempt.attempt, ...range }
    partitions.add(pagePartition(named)).add(oldPagePartition(named))
  }
  return partitions
}

async function itemsInAll(table: TableClient, partitions: readonly string[]): Promise<StoredItem[]> {
  const found = await mapPooled(partitions, maxConcurrentRequests, async (pk) => {
    const items: TableItem[] = []
    let after: string | undefined
    do {
      const read = await table.read({ kind: 'query', pk, after })
      items.push(...read.items)
      after = read.rest[0]?.sk
    } while (after !== undefined)
    return items
  })
  return found.flat().map(describe)
}

/** DynamoDB deletes items when they expire. The item of a run in progress never does. */
function describe({ pk, sk, expiresAt, execution }: TableItem): StoredItem {
  const isOfRun = /^(?:run|increment)#/.test(sk)
  const owner = pk.startsWith('run#') ? 'pages' : isOfRun ? 'run' : 'state'
  const until = typeof expiresAt === 'number' ? expiresAt * 1000 : undefined
  const kind = owner === 'state' ? 'pointer' : until === undefined ? 'in-progress' : 'record'
  return {
    key: { pk, sk },
    owner,
    reasons: [{ kind, until }],
    execution: typeof execution === 'string' ? execution : undefined,
  }
}

export async function deleteItems(table: TableClient, items: readonly StoredItem[]): Promise<void> {
  await mapPooled(items, maxConcurrentRequests, ({ key }) =>
    table.write({ kind: 'remove', key, condition: {} }),
  )
}
