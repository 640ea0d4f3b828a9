import type { Received } from '../pages/page.ts'
import type { DamagedSnapshot } from '../snapshots/publication.ts'
import type { FullSetManifest, IncrementManifest } from './changes.ts'
import type { LastingFailure } from './changes-latest.ts'

/** The manifest that a set would have. Of an increment also what its window was read with. */
export type Proposal = FullSetManifest | IncrementProposal

type IncrementProposal = IncrementManifest & { readonly evidence: WindowEvidence }

/** An increment that found nothing: it only moves the window. */
export interface WindowProposal
  extends Pick<
    IncrementManifest,
    'entity' | 'runId' | 'base' | 'from' | 'to' | 'proof' | 'older' | 'withoutId'
  > {
  readonly kind: 'window'
  readonly evidence: WindowEvidence
}

/** The requests of an increment, as the HTTP client reported them. */
export interface WindowEvidence {
  /** The search at the beginning: its response has the platform's `Date`. */
  readonly search: Received
  /** The scrolls of the window that have ended, oldest first. The last one is proven. */
  readonly scrolls: readonly ScrolledWindow[]
  /** Documents of the last scroll that equal what an increment delivered before. */
  readonly equal: number
}

export interface ScrolledWindow {
  /** Its pages, and then its end, which has no documents. */
  readonly items: readonly (Received & { readonly documents: number })[]
  readonly uniqueIds: number
  /** Of 64 bits of the hashes of its ids, modulo 2^64 (hex). */
  readonly idSum: string
}

/** The publisher, as functions invoke it that make change sets. */
export interface SetPublisher {
  /** Checks and publishes a set. May be repeated: without a proposal it only finishes what it has published before. */
  readonly publishSet: (request: SetRequest) => Promise<SetResult>
  /** Changes a member of the chain that does not say what readers apply. */
  readonly note: (request: NoteRequest) => Promise<NoteResult>
}

export interface SetRequest {
  readonly entity: string
  readonly runId: string
  /** The key of the proposal, or that of a window, which is not stored. */
  readonly proposal?: string | WindowProposal | undefined
  /** The deletes of the set are accepted. */
  readonly acceptDeletes?: boolean | undefined
  readonly accepted?: AcceptedSet | undefined
}

/** A person's decision to publish the set: what the person had reviewed. */
export interface AcceptedSet {
  /** The set, which a comparison had refused, or the snapshot, which a run had refused. */
  readonly reviewed: 'set' | 'snapshot'
  readonly by: string
}

export type SetResult =
  /** The chain has the set. `unannounced`: runs whose sets have been the tip and whose events were not sent, in order. */
  | { readonly kind: 'published'; readonly unannounced: readonly string[] }
  | {
      readonly kind: 'refused'
      readonly reason: string
      readonly deleted: number
      readonly baseDocuments: number
    }
  /** The next invocation continues the check. */
  | { readonly kind: 'checking' }
  /** The chain is no longer the one that the proposal continues. */
  | { readonly kind: 'outdated' }
  /** A snapshot is being compared, so no increment moves the tip. */
  | { readonly kind: 'comparing' }
  /** The set is not what it claims to be, or stored objects are not what they were. */
  | DamagedSnapshot

export interface NoteRequest {
  readonly entity: string
  /** The run at the tip. If another one is, nothing is changed. */
  readonly tip: string
  readonly note: Note
}

export type Note =
  /** A comparison of the snapshot of this run is in progress. */
  | { readonly kind: 'comparing'; readonly runId: string }
  | { readonly kind: 'compared'; readonly runId: string }
  /** A comparison from the chain's snapshot failed for a reason that lasts. */
  | { readonly kind: 'failed'; readonly reason: string; readonly cause: LastingFailure }
  /** The event of the tip's set was sent. */
  | { readonly kind: 'announced' }
  | { readonly kind: 'reset'; readonly reason: string }
  | ({ readonly kind: 'shortened' } & Shortening)

/** What erasure takes out of a chain. */
export interface Shortening {
  /** The last set that goes; null if all stay. */
  readonly through: string | null
  /** Why the next set is a reset, and nobody can begin at the tip; null if neither is so. */
  readonly reason: string | null
}

export type NoteResult = { readonly kind: 'noted' } | { readonly kind: 'outdated' }
