import type { Key } from '../item-version.ts'

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
