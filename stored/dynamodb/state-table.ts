import { setTimeout as sleep } from 'node:timers/promises'
import { itemVersion, type Key, UnknownItemVersion } from '../item-version.ts'

/** The result of a write that depends on the stored item. */
export type ItemReplacement<T> =
  | { readonly kind: 'written' }
  /** `stored` is the item as it is now; undefined if the service does not return it. */
  | { readonly kind: 'refused'; readonly stored: Omit<T, keyof Key> | undefined }

/** DynamoDB's limit of one BatchGetItem. */
const maxBatchKeys = 100
const maxBatchTries = 8
const firstPauseMs = 50

/** Waits for a random time of at most this many milliseconds. */
export const randomPause = (maxMs: number) => sleep<void>(Math.random() * maxMs)

/** The state table, with plain objects in and out. A write is false if its condition failed. */
export function openTable(client: TableClient, pause = randomPause) {
  /** Repeats the keys that DynamoDB did not process because of throttling or the size of the response. */
  async function* getBatch(keys: readonly Key[]): AsyncGenerator<TableItem> {
    let rest = keys
    for (let tries = 0; rest.length > 0; tries++) {
      if (tries === maxBatchTries) {
        const unread = `${rest.length} of ${keys.length} keys were not processed in ${tries} requests`
        throw new Error(`The state table is throttled: ${unread}.`)
      }
      if (tries > 0) await pause(firstPauseMs * 2 ** (tries - 1))
      const response = await client.read({ kind: 'batch', keys: rest })
      yield* response.items
      rest = response.rest
    }
  }

  const put = (item: Key, condition: Condition) =>
    client.write({ kind: 'put', item: { ...item, version: itemVersion }, condition })

  return {
    async get<T extends object>(key: Key): Promise<T | undefined> {
      const [item] = (await client.read({ kind: 'get', key })).items
      return item && attributesOf<T>(item)
    },

    /** The items in the order of the keys; undefined for each that does not exist. */
    async getAll<T extends object>(keys: readonly Key[]): Promise<(T | undefined)[]> {
      const nameOf = ({ pk, sk }: Key) => JSON.stringify([pk, sk])
      const items = new Map<string, T>()
      for (let first = 0; first < keys.length; first += maxBatchKeys) {
        for await (const item of getBatch(keys.slice(first, first + maxBatchKeys)))
          items.set(nameOf(item), attributesOf<T>(item))
      }
      return keys.map((key) => items.get(nameOf(key)))
    },

    async put<T extends Key>(item: T, condition: Condition = {}): Promise<boolean> {
      return (await put(item, condition)).kind === 'written'
    },

    /** Writes an item with a revision if the stored one has the revision `before`; 0 if there is none. */
    async replace<T extends Key>(item: T, before: number): Promise<ItemReplacement<T>> {
      const result = await put(item, before === 0 ? isNew : { revision: equal(before) })
      return result.kind === 'written'
        ? result
        : { ...result, stored: result.stored && attributesOf(result.stored) }
    },

    async update(key: Key, change: Change, condition: Condition = {}): Promise<boolean> {
      const versioned = 'set' in change ? { set: { ...change.set, version: itemVersion } } : change
      const result = await client.write({ kind: 'update', key, change: versioned, condition })
      return result.kind === 'written'
    },

    async remove(key: Key, condition: Condition): Promise<boolean> {
      return (await client.write({ kind: 'remove', key, condition })).kind === 'written'
    },

    /** Items of a partition in the order of their sort keys, read on demand. */
    async *query<T extends object>(pk: string, range: KeyRange = {}): AsyncGenerator<T> {
      let { after, limit } = range
      do {
        const { items, rest } = await client.read({ kind: 'query', pk, ...range, after, limit })
        for (const item of items) yield attributesOf<T>(item)
        // A response has at most 1 MB, which may be fewer items than the limit.
        if (limit !== undefined) limit -= items.length
        after = limit === 0 ? undefined : rest[0]?.sk
      } while (after !== undefined)
    },
  }
}

export type StateTable = ReturnType<typeof openTable>

function attributesOf<T extends object>(item: TableItem): T {
  const { pk, sk, version, expiresAt: _expiresAt, ...attributes } = item
  if (version !== itemVersion) throw new UnknownItemVersion({ pk, sk }, version)
  return attributes as T
}

/** An item of the state table as a plain object. */
export type TableItem = Key & { readonly [name: string]: unknown }

type Scalar = string | number

/** What an attribute of the stored item must be. An item that does not exist has no attributes. */
export type Test =
  | { readonly is: 'absent' }
  | { readonly is: 'equal'; readonly value: Scalar }
  | { readonly is: 'one-of'; readonly values: readonly [Scalar, ...Scalar[]] }
  | { readonly is: 'absent-or-at-most'; readonly value: Scalar }

/** A test for each of these attributes, and all must pass. `lease.runId` is the member `runId` of the map `lease`. */
export type Condition = Readonly<Record<string, Test>>

export const absent: Test = { is: 'absent' }
export const equal = (value: Scalar): Test => ({ is: 'equal', value })
export const isOneOf = (values: readonly [Scalar, ...Scalar[]]): Test => ({ is: 'one-of', values })
export const absentOrAtMost = (value: Scalar): Test => ({ is: 'absent-or-at-most', value })

/** No item has this key yet. */
export const isNew: Condition = { pk: absent }

/** Attributes that an update sets, or the names of those that it removes. */
export type Change =
  | { readonly set: Readonly<Record<string, unknown>> }
  | { readonly remove: readonly [string, ...string[]] }

/** A write of one item, which takes effect only if the condition holds. Without tests it always does. */
export type Write =
  | { readonly kind: 'put'; readonly item: TableItem; readonly condition: Condition }
  | { readonly kind: 'update'; readonly key: Key; readonly change: Change; readonly condition: Condition }
  | { readonly kind: 'remove'; readonly key: Key; readonly condition: Condition }

/** The result of a write. */
export type WriteResult =
  | { readonly kind: 'written' }
  /** `stored` is the item that a put did not replace; undefined if the service does not return it. */
  | { readonly kind: 'refused'; readonly stored: TableItem | undefined }

export type Read =
  | { readonly kind: 'get'; readonly key: Key }
  | { readonly kind: 'batch'; readonly keys: readonly Key[] }
  | Query

/** Items of a partition in the order of their sort keys. */
export interface KeyRange {
  /** Prefix of the sort key. */
  readonly prefix?: string
  readonly newestFirst?: boolean
  readonly limit?: number | undefined
  /** Continues after this sort key. */
  readonly after?: string | undefined
  /** False if the newest writes may be missing. */
  readonly consistent?: boolean
}

export interface Query extends KeyRange {
  readonly kind: 'query'
  readonly pk: string
}

export interface ReadResult {
  readonly items: readonly TableItem[]
  /** The keys of a batch that were not processed, or the last key of a query that may have more items. */
  readonly rest: readonly Key[]
}

/** The requests of the state table. Each takes effect atomically, and is repeated if its response is lost. */
export interface TableClient {
  readonly read: (request: Read) => Promise<ReadResult>
  readonly write: (request: Write) => Promise<WriteResult>
}
