/** What the worker publishes on the account's default event bus. */
export type SyncEvent =
  | {
      readonly type: 'Snapshot Published'
      readonly detail: { entity: string; runId: string; documents: number; proof: string; manifest: string }
    }
  | {
      readonly type: 'Snapshot Refused' | 'Sync Failed'
      readonly detail: { entity: string; runId: string; reason: string }
    }

/** What a comparison publishes there. */
export type ChangesEvent =
  | {
      readonly type: 'Changes Published'
      readonly detail: {
        entity: string
        /** Null for a reset, which counts nothing: readers load the snapshot. */
        base: string | null
        runId: string
        created: number
        updated: number
        deleted: number
        withheld: number
        manifest: string
      }
    }
  | {
      readonly type: 'Changes Refused' | 'Changes Failed'
      readonly detail: { entity: string; base: string | null; runId: string | null; reason: string }
    }

export type PublishEvent = (event: SyncEvent) => Promise<void>
export type PublishChangesEvent = (event: ChangesEvent) => Promise<void>
