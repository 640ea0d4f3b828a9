import type { EvidenceSection } from '../../operator/text/evidence.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { DocumentRow } from './change-sets.ts'

export interface SnapshotSummary
  extends Pick<
    Manifest,
    'runId' | 'openedAt' | 'finishedAt' | 'documents' | 'uniqueIds' | 'reportedTotal' | 'proof' | 'attempts'
  > {
  /** The run whose snapshot this one repeats; null if it was scrolled. */
  readonly republishedFrom: string | null
  readonly pages: number
  readonly bytes: number
}

/** The kept snapshots of an entity, newest first. */
export interface SnapshotsResponse {
  /** The run that `latest.json` names. */
  readonly published: string | null
  readonly snapshots: readonly SnapshotSummary[]
}

/** Documents of one page of a snapshot. */
export interface DocumentsResponse {
  readonly snapshot: SnapshotSummary
  /** Counts from 1. */
  readonly page: number
  /** Index of the first document in the page. */
  readonly from: number
  readonly pageDocuments: number
  readonly documents: readonly DocumentRow[]
}

/** What a snapshot is proven from, and whether its hashes are right. */
export interface EvidenceResponse {
  readonly state: 'intact' | 'none' | 'damaged'
  readonly text: string
  /** Empty unless it is intact. */
  readonly sections: readonly EvidenceSection[]
}
