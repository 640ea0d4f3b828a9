import type { DamagedSnapshot } from '../snapshots/publication.ts'
import type { LastingFailure } from './changes-latest.ts'
import type { ProposedIncrement } from './proposal.ts'

/** The publisher, as functions invoke it that make change sets. */
export interface SetPublisher {
  /** Checks and publishes a set. May be repeated: without a proposal it finishes what it has published, or returns the result. */
  readonly publishSet: (request: SetRequest) => Promise<SetResult>
  /** Changes a member of the chain that does not say what readers apply. */
  readonly note: (request: NoteRequest) => Promise<NoteResult>
}

export interface SetRequest {
  readonly entity: string
  readonly runId: string
  /** Its key; or the proposal of an increment that found nothing, which is not stored and only moves the window. */
  readonly proposal?: string | ProposedIncrement | undefined
  /** The proposal of a full set whose result the caller has not waited for, and when it asked (epoch milliseconds). */
  readonly proposed?: { readonly key: string; readonly at: number } | undefined
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
  /** The publisher still checks it, or has stopped. The next request asks for its result, without the proposal. */
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
