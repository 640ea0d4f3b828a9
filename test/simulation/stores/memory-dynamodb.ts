import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import type {
  Condition,
  Query,
  Read,
  ReadResult,
  TableClient,
  TableItem,
  Test,
  Write,
  WriteResult,
} from '../../../stored/dynamodb/state-table.ts'
import type { Key } from '../../../stored/item-version.ts'

type Partitions = ReadonlyMap<string, ReadonlyMap<string, TableItem>>

/** What a write changes; undefined for an item that does not exist. */
export interface ItemChange {
  readonly before: TableItem | undefined
  readonly after: TableItem | undefined
}

/** One DynamoDB table in memory. Each request takes effect immediately and atomically. */
export class MemoryDynamoDb implements TableClient {
  /** Items that have expired. */
  expired = 0
  /** Called before a write takes effect. */
  onWrite: ((key: Key, change: ItemChange) => void) | undefined
  /** Size of a query's page; 1 MB in the real service. */
  pageBytes: number
  /** Keys that one batch processes. */
  maxBatchKeys = 100
  /** Whether the next read that may miss the newest writes returns the state before the partition's last write. */
  isReadStale: () => boolean = () => false
  read = async (request: Read): Promise<ReadResult> => this.readNow(request)
  write = async (request: Write): Promise<WriteResult> => this.writeNow(request)
  readonly #partitions = new Map<string, Map<string, TableItem>>()
  readonly #before = new Map<string, ReadonlyMap<string, TableItem>>()

  constructor(pageBytes = 1024 * 1024) {
    this.pageBytes = pageBytes
  }

  readNow(request: Read): ReadResult {
    const { items, rest } = this.#found(request)
    return { items: items.map((item) => structuredClone(item)), rest }
  }

  writeNow(request: Write): WriteResult {
    const { pk, sk } = request.kind === 'put' ? request.item : request.key
    const before = this.item(pk, sk)
    if (!holds(request.condition, before)) return { kind: 'refused', stored: before }
    const after = changed(request, before)
    this.onWrite?.({ pk, sk }, { before, after })
    const partition = this.#partitions.get(pk) ?? new Map<string, TableItem>()
    this.#before.set(pk, new Map(partition))
    this.#partitions.set(pk, partition)
    if (after) partition.set(sk, after)
    else partition.delete(sk)
    return { kind: 'written' }
  }

  /** Takes over the items of another table. */
  copyFrom(other: MemoryDynamoDb): void {
    for (const [pk, partition] of other.#partitions) this.#partitions.set(pk, new Map(partition))
  }

  /** All items. */
  all(): TableItem[] {
    return [...this.#partitions.keys()].flatMap((pk) => sorted(pk, this.#partitions))
  }

  /** All items of a partition. */
  items<T extends object = TableItem>(pk: string): (T & Key)[] {
    return sorted(pk, this.#partitions) as unknown as (T & Key)[]
  }

  item<T extends object = TableItem>(pk: string, sk: string): (T & Key) | undefined {
    return this.#partitions.get(pk)?.get(sk) as (T & Key) | undefined
  }

  /** Deletes the expired items that `chooses` selects, as TTL does at some later time. */
  expire(nowSeconds: number, chooses: () => boolean): number {
    const expired = [...this.#partitions.values()]
      .flatMap((partition) => [...partition.values()])
      .filter(({ expiresAt }) => expiresAt !== undefined && Number(expiresAt) < nowSeconds && chooses())
    for (const { pk, sk } of expired) this.#partitions.get(pk)?.delete(sk)
    this.expired += expired.length
    return expired.length
  }

  #found(request: Read): ReadResult {
    switch (request.kind) {
      case 'get':
        return this.#batch([request.key])
      case 'batch':
        return this.#batch(request.keys)
      case 'query':
        return this.#query(request)
    }
  }

  #batch(keys: readonly Key[]): ReadResult {
    const found = keys.slice(0, this.maxBatchKeys).map(({ pk, sk }) => this.item(pk, sk))
    return { items: found.filter((item) => item !== undefined), rest: keys.slice(this.maxBatchKeys) }
  }

  #query({ pk, prefix = '', newestFirst, limit, after, consistent = true }: Query): ReadResult {
    const isStale = !consistent && this.isReadStale()
    const all = sorted(pk, isStale ? this.#before : this.#partitions)
    if (newestFirst) all.reverse()
    const items: TableItem[] = []
    let bytes = 0
    for (const item of all.slice(all.findIndex(({ sk }) => sk === after) + 1)) {
      if (!item.sk.startsWith(prefix)) continue
      items.push(item)
      bytes += sizeBytes(item)
      if (items.length === limit || bytes > this.pageBytes) return { items, rest: [{ pk, sk: item.sk }] }
    }
    return { items, rest: [] }
  }
}

function sorted(pk: string, partitions: Partitions): TableItem[] {
  return [...(partitions.get(pk)?.values() ?? [])].toSorted((one, other) => (one.sk < other.sk ? -1 : 1))
}

function holds(condition: Condition, item: TableItem | undefined): boolean {
  return Object.entries(condition).every(([path, test]) => {
    const value = path.split('.').reduce<unknown>((map, name) => (map as TableItem | undefined)?.[name], item)
    return passes(test, value)
  })
}

function passes(test: Test, value: unknown): boolean {
  switch (test.is) {
    case 'absent':
      return value === undefined
    case 'equal':
      return value === test.value
    case 'one-of':
      return test.values.some((one) => one === value)
    case 'absent-or-at-most':
      return value === undefined || (typeof value === typeof test.value && (value as string) <= test.value)
  }
}

function changed(request: Write, before: TableItem | undefined): TableItem | undefined {
  if (request.kind === 'remove') return undefined
  if (request.kind === 'put') return asStored(request.item)
  const { change, key } = request
  const item = { ...key, ...before }
  if ('set' in change) return asStored({ ...item, ...change.set })
  const removed = new Set<string>(change.remove)
  return Object.fromEntries(Object.entries(item).filter(([name]) => !removed.has(name))) as TableItem
}

/** The item as the service returns it: without undefined members, and with bytes as a Uint8Array. */
function asStored(item: TableItem): TableItem {
  return structuredClone(unmarshall(marshall(item, { removeUndefinedValues: true }))) as TableItem
}

function sizeBytes(item: TableItem): number {
  let bytes = 0
  for (const [name, value] of Object.entries(marshall(item)))
    bytes += name.length + (value.B?.length ?? JSON.stringify(value).length)
  return bytes
}
