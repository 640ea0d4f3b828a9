import type { AcceptedChanges } from '../../stored/entity-items.ts'
import type { CommittedEnd, CommittedPage } from '../../stored/pages/page.ts'
import type { IncrementRun } from '../../stored/run/increment-run.ts'
import type { SnapshotRun } from '../../stored/run/run.ts'
import type { Log } from '../runtime/log.ts'
import type { EntitySettings } from '../runtime/settings.ts'

/** What the publisher reads of the state table, consistently. It writes nothing there. */
export interface RunItems {
  readonly readRun: (entity: string, runId: string) => Promise<SnapshotRun | undefined>
  /** Scheduled increments have none until they have ended. */
  readonly readIncrement: (entity: string, runId: string) => Promise<IncrementRun | undefined>
  /** The last acceptance of a change set alone. */
  readonly readAcceptedChanges: (entity: string) => Promise<AcceptedChanges | undefined>
  readonly readPages: (partition: string) => Promise<readonly (CommittedPage | CommittedEnd)[]>
}

export interface ListedObject {
  readonly key: string
  readonly bytes: number
  readonly etag: string
}

export interface Content {
  readonly body: string | Buffer
  readonly type: 'application/json' | 'application/octet-stream' | 'text/plain'
  readonly cacheControl?: 'no-cache'
}

/** What a conditional write expects to be stored: an object with this ETag, or none. */
export type Expected = { readonly etag: string } | 'absent'

/** The bucket. */
export interface Objects {
  readonly name: string
  readonly read: (key: string) => Promise<{ readonly bytes: Buffer; readonly etag: string } | undefined>
  readonly list: (prefix: string) => AsyncIterable<ListedObject>
  /** Writes an object if the stored one has this ETag, or if there is none. False if that is not so. */
  readonly putIf: (key: string, expected: Expected, content: Content) => Promise<boolean>
  readonly put: (key: string, content: Content) => Promise<void>
}

/** What a check reads, and until when. */
export interface Checker {
  readonly objects: Objects
  readonly now: () => number
  /** Epoch milliseconds. A check that is not complete then is continued by the next invocation. */
  readonly endsAt: number
}

export interface Publisher extends Checker {
  readonly items: RunItems
  /** As deployed. */
  readonly entities: readonly EntitySettings[]
  readonly log: Log
}
