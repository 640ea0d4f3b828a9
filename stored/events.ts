import { describeError, type Log } from '../functions/runtime/log.ts'
import { metricFields } from '../functions/runtime/metrics.ts'
import type { SetManifest } from './changes/changes.ts'
import type { ReportChanges } from './tables/schema-changes.ts'

/** What the worker publishes on the account's default event bus. */
export type SyncEvent =
  | {
      readonly type: 'Snapshot Published'
      readonly detail: {
        entity: string
        runId: string
        documents: number
        proof: string
        manifest: string
        /** Of the manifest's object, in hex. Absent if an older release moved `latest.json`. */
        sha256?: string
        /** Who accepted the snapshot; absent if no guard had refused it. */
        by?: string
      }
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
        kind: SetManifest['kind']
        /** Only of an increment, which counts nothing else. */
        records?: number
        created: number
        updated: number
        deleted: number
        withheld: number
        manifest: string
        /** Of the manifest's object, in hex. */
        sha256: string
        /** Who accepted the set; absent if the guard had not refused it. */
        by?: string
      }
    }
  | {
      readonly type: 'Changes Refused' | 'Changes Failed'
      readonly detail: { entity: string; base: string | null; runId: string | null; reason: string }
    }

/** What is published there about an entity's table and its schema report. */
export type TableEvent =
  | {
      readonly type: 'Table Published'
      readonly detail: {
        entity: string
        runId: string
        rows: number
        /** How many values of each column became null because they did not fit. */
        rejected: Readonly<Record<string, number>>
        metadata: string
      }
    }
  | { readonly type: 'Table Failed'; readonly detail: { entity: string; runId: string; reason: string } }
  | {
      readonly type: 'Schema Changed'
      /** Paths that most documents newly have or no longer have, and paths whose types changed. */
      readonly detail: {
        entity: string
        runId: string
        /** The key of the report with all paths. */
        report: string
      } & ReportChanges
    }

/** What the look for problems publishes there. */
export interface ProblemEvent {
  readonly type: 'Problem Opened' | 'Problem Resolved'
  readonly detail: {
    /** Shared by the events of a problem's opening and its end. */
    readonly id: string
    readonly kind: string
    readonly level: 'problem' | 'note'
    /** Absent if it concerns the deployment as a whole. */
    readonly entity?: string
    /** When it began, in ISO 8601; null if nothing shows it. */
    readonly since: string | null
    /** What is known, in one or two sentences with numbers. */
    readonly evidence: string
    readonly action: string
    /** The arguments after `longshore`; absent where no command helps. */
    readonly command?: string
  }
}

/** What tells about an entity's run. */
export type PublishedEvent = SyncEvent | ChangesEvent | TableEvent

/** Where an event comes from. Several deployments can share an account and its event bus. */
export interface EventOrigin {
  /** The configuration's `name`. */
  readonly deployment: string
  readonly bucket: string
}

/** The detail of an event as subscribers receive it. */
export type PublishedDetail = (PublishedEvent | ProblemEvent)['detail'] & EventOrigin

export type PublishChangesEvent = (event: ChangesEvent) => Promise<void>
export type PublishTableEvent = (event: TableEvent) => Promise<void>

/** Where events go, and where it is noted that one could not be sent. */
export interface EventSender<E> {
  readonly publishEvent: (event: E) => Promise<void>
  readonly log: Log
}

/** Sends an event. Readers can also poll the bucket, so one that cannot be sent loses nothing. False if it was not sent. */
export async function sendEvent<E extends PublishedEvent>(
  { publishEvent, log }: EventSender<E>,
  event: E,
): Promise<boolean> {
  try {
    await publishEvent(event)
    return true
  } catch (error) {
    const { type, detail } = event
    const { entity, runId } = detail
    const metrics = metricFields({ EventsNotSent: 1 })
    log('ERROR', 'event not sent', { entity, runId, type, error: describeError(error), ...metrics })
    return false
  }
}
