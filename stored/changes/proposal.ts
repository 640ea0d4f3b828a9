import type { Exchange } from '../../functions/upstream/recorded-exchange.ts'
import type { CommittedEnd, CommittedPage } from '../pages/page.ts'
import type { ChangesManifest, IncrementManifest, ResetManifest } from './changes.ts'

/** The manifest that a set would have. Only the publisher writes it, and adds the sums that it leaves out. */
export type Proposal = FullProposal | ProposedIncrement
export type FullProposal = ChangesManifest | ProposedReset
export type ProposedReset = Omit<ResetManifest, keyof StateSums>
export type StateSums = Pick<ResetManifest, 'stateDocuments' | 'stateIdSum' | 'stateContentSum'>

export interface ProposedIncrement extends IncrementManifest {
  readonly evidence: IncrementEvidence
}

/** What an increment's window and proof are decided from. */
export interface IncrementEvidence {
  /** The response of the search at its beginning, with its Date header. */
  readonly clock: Exchange
  /** Documents that readers have: those that are equal to what was delivered before. */
  readonly equal: number
  /** The scrolls of the window that ended. The last one is what the set was made from. */
  readonly scrolls: readonly EndedWindow[]
}

export interface EndedWindow {
  readonly pages: readonly Pick<CommittedPage, 'page' | 'documents' | 'received'>[]
  readonly end: Pick<CommittedEnd, 'page' | 'received'>
  readonly uniqueIds: number
  /** The sum of the ids' fingerprints modulo 2^64, in hex. */
  readonly idSum: string
  /** Whether the worker knows of a request whose outcome is unknown. */
  readonly suspect: boolean
}
