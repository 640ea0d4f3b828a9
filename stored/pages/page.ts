import type { Exchange } from '../../functions/upstream/recorded-exchange.ts'

/** The platform's total of matching documents. A malformed one cannot prove anything. */
export type ReportedTotal = number | 'not-reported' | 'malformed'

/** What is known from the platform's responses. It may be one page ahead of what is committed. */
export interface Cursor {
  /** Requests the next page. */
  readonly token: string | undefined
  /** The `Cookie` header that goes with it. Absent from items of 1.0.0. */
  readonly cookies?: string | undefined
  /** The `_size` that opened this scroll. */
  readonly pageSize: number
  /** From the first response. */
  readonly total: ReportedTotal
  /** When the first response arrived, in epoch milliseconds. */
  readonly openedAt: number
  /** When the last response arrived, in epoch milliseconds. A token lives 20 minutes from then on. */
  readonly respondedAt: number
}

interface Committed extends Cursor {
  /** Counts from 1 in each attempt. */
  readonly page: number
  /** Documents of this page and of all pages before it. */
  readonly documentsSoFar: number
  /** Consecutive pages up to this one that contained only ids that had been received before. */
  readonly repeatedPages: number
}

/** What the HTTP client reported of an item, from which the publisher decides the proof. */
export interface Received {
  /** The path and query that this item's worker sent first after the previous item. */
  readonly request: string
  /** The requests since the previous item, oldest first. The last one brought this item. */
  readonly exchanges: readonly Exchange[]
  /** The totals of the searches when a range was opened; absent from other items. */
  readonly searched?: readonly number[]
}

/** Of the response that a page was made from. */
export interface ReceivedPage extends Received {
  /** SHA-256 (hex) of the body without its content coding. */
  readonly bodySha256: string
  /** White space between the documents, and a byte order mark. */
  readonly spaceBytes: number
  /** Whether a line break in a document was replaced by a space. */
  readonly replacesLineBreaks: boolean
}

/** A committed page of an attempt. Position, progress, manifest and proof derive from these items. */
export interface CommittedPage extends Committed {
  readonly kind: 'page'
  readonly key: string
  readonly documents: number
  /** Documents without the id field, which are identified by the hash of their bytes. */
  readonly documentsWithoutId: number
  /** Size and SHA-256 (hex) of the object. */
  readonly bytes: number
  readonly sha256: string
  /** Absent from pages of 1.0.0. */
  readonly received?: ReceivedPage
}

/** Closes an attempt's scroll. It takes the number of the next page, so that no late worker can add one. */
export interface CommittedEnd extends Committed {
  readonly kind: 'end'
  /** Distinguishes the end marks of two workers. */
  readonly id: string
  /** False if the end had to be requested once more and the platform did not respond. 1.0.0 knows no more. */
  readonly isConfirmed: boolean
  /** Absent from ends of 1.0.0. */
  readonly evidence?: EndEvidence
  /** Absent from ends of 1.0.0. */
  readonly received?: Received
}

/**
 * What shows that a scroll has ended: nothing makes it doubtful (`confirmed`); the request that was to confirm it was
 * refused, as a request with a lost cursor would be (`refused`); that request got no response (`unconfirmed`).
 */
export type EndEvidence = 'confirmed' | 'refused' | 'unconfirmed'

/** The committed position of an attempt. */
export type Position = (Committed & { readonly kind: 'start' | 'page' }) | EndPosition
export type EndPosition = Committed & { readonly kind: 'end'; readonly evidence: EndEvidence }

/** Before the first response. */
export function openingCursor(pageSize: number): Cursor {
  return { token: undefined, pageSize, total: 'not-reported', openedAt: 0, respondedAt: 0 }
}

/** Before the first page. */
export function startPosition(pageSize: number): Position {
  return { kind: 'start', page: 0, documentsSoFar: 0, repeatedPages: 0, ...openingCursor(pageSize) }
}

/** What is known of the progress of a scroll. */
export type ScrollPosition = Pick<Position, 'kind' | 'page' | 'documentsSoFar' | 'total' | 'respondedAt'>

/** The progress of a scroll, as callers see it. */
export interface ScrollProgress {
  readonly documents: number
  readonly pages: number
  readonly total: number | undefined
}

/** The progress of a run, as callers see it. */
export interface Progress extends ScrollProgress {
  /** Of each range; one for an entity that is not scrolled in ranges, none before they are planned. */
  readonly rangeProgress: readonly ScrollProgress[]
}

const notBegun: ScrollProgress = { documents: 0, pages: 0, total: undefined }
export const noProgress: Progress = { ...notBegun, rangeProgress: [] }

export function progressOf(position: ScrollPosition | undefined): ScrollProgress {
  if (!position) return notBegun
  const { kind, page, documentsSoFar, total } = position
  return {
    documents: documentsSoFar,
    pages: kind === 'end' ? page - 1 : page,
    total: typeof total === 'number' ? total : undefined,
  }
}

/** How far the run of the lease was when the lease was last extended. */
export interface RecordedProgress {
  readonly runId: string
  readonly scrolls: readonly RecordedScroll[]
}

export interface RecordedScroll extends ScrollPosition {
  /** Undefined if the entity is scrolled without partitions. */
  readonly range: number | undefined
  readonly attempt: number
}
