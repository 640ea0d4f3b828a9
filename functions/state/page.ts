/** A committed page of an attempt: everything that is known of the scroll is read from these. */
export interface CommittedPage {
  /** Counts from 1 in each attempt. */
  readonly page: number
  readonly key: string
  readonly documents: number
  /** Documents of this page and all before it. */
  readonly documentsSoFar: number
  /** Size and hash (hex) of the object. */
  readonly bytes: number
  readonly sha256: string
  readonly fingerprints: Buffer
  /** Asks for the page after this one. */
  readonly token: string | undefined
  /** The `_size` that this scroll was opened with. */
  readonly pageSize: number
  /** What the first page reported, carried along. */
  readonly total: number | undefined
  /** When the platform's answer came, in epoch milliseconds: a token lives 20 minutes from there. */
  readonly answeredAt: number
  /** True for the mark that closes the scroll; it has no object and no documents. */
  readonly end: boolean
}

/** Where an attempt stands after its last committed page. */
export type Position = Omit<CommittedPage, 'key' | 'bytes' | 'sha256' | 'fingerprints'>

/** Before the first page. */
export function startPosition(pageSize: number): Position {
  return {
    page: 0,
    documents: 0,
    documentsSoFar: 0,
    token: undefined,
    pageSize,
    total: undefined,
    answeredAt: 0,
    end: false,
  }
}

/** What a run's item says of an attempt that has come so far. */
export function progressOf(last: Position | undefined): { documents: number; pages: number; total?: number } {
  return {
    documents: last?.documentsSoFar ?? 0,
    pages: last ? last.page - (last.end ? 1 : 0) : 0,
    ...(last?.total !== undefined && { total: last.total }),
  }
}
