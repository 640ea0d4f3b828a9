import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { TableClient } from '../../stored/dynamodb/requests.ts'
import type { Key } from '../../stored/item-version.ts'
import { oldPagePartition, pagePartition } from '../../stored/pages/page-partition.ts'
import { attemptOfPageKey } from '../../stored/snapshots/manifest.ts'

const maxConcurrentRequests = 16

/** The keys of the items of an entity, its runs and the pages whose objects are in the bucket. */
export const findItems = (entity: string, pageKeys: Iterable<string>, table: TableClient): Promise<Key[]> =>
  keysInAll([`entity#${entity}`, ...partitionsOf(pageKeys)], table)

/** The keys of the items of attempts that have pages among the first keys and none among the others. */
export function findPageItems(
  pageKeys: Iterable<string>,
  keptKeys: Iterable<string>,
  table: TableClient,
): Promise<Key[]> {
  const kept = partitionsOf(keptKeys)
  const partitions = [...partitionsOf(pageKeys)].filter((partition) => !kept.has(partition))
  return keysInAll(partitions, table)
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

async function keysInAll(partitions: readonly string[], table: TableClient): Promise<Key[]> {
  const found = await mapPooled(partitions, maxConcurrentRequests, (pk) => keysIn(pk, table))
  return found.flat()
}

async function keysIn(pk: string, table: TableClient): Promise<Key[]> {
  const keys: Key[] = []
  let after: string | undefined
  do {
    const { items, rest } = await table.read({ kind: 'query', pk, after })
    keys.push(...items.map(({ sk }) => ({ pk, sk })))
    after = rest[0]?.sk
  } while (after !== undefined)
  return keys
}

export async function deleteItems(keys: readonly Key[], table: TableClient): Promise<void> {
  await mapPooled(keys, maxConcurrentRequests, (key) => table.write({ kind: 'remove', key, condition: {} }))
}
