import type { Chance } from '../chance.ts'
import { targets } from '../functions/targets.ts'

/** How the stores fail. Probabilities are per call. */
export interface StoreTraits extends ResponseTraits {
  readonly faults: number
  /** Eventually consistent reads that return an older state. */
  readonly staleReads: number
  /** DeleteObjects that deletes only some of its keys. */
  readonly partialDeletes: number
  /** A lost call that takes effect after its repetition. */
  readonly ghosts: number
  readonly queryPageBytes: number
  readonly listPageKeys: number
}

export interface ResponseTraits {
  /** Conditional PUTs that S3 refuses with 409, since another one is in progress. */
  readonly conflicts: number
  /** A kind of write whose first response is often lost although it took effect, so that the client repeats it. */
  readonly lost: { readonly label: string; readonly rate: number } | undefined
  /** Pages of a list with fewer keys than there are, even none. */
  readonly shortPages: number
  /** Writes to a temporary file that write a part of the bytes. */
  readonly shortWrites: number
}

export function drawResponses({ happens, pick, next }: Chance): ResponseTraits {
  const writes = targets.filter((label) => /^(commit|write|create|free|put|delete)-/.test(label))
  return {
    conflicts: happens(0.2) ? 0.4 * next() : 0,
    lost: happens(0.2) ? { label: pick(writes), rate: 0.1 + 0.7 * next() } : undefined,
    shortPages: happens(0.2) ? 0.5 : 0,
    shortWrites: happens(0.3) ? 0.5 : 0,
  }
}

export const calmStores = (stores: StoreTraits): StoreTraits => ({
  ...stores,
  faults: 0,
  staleReads: 0,
  partialDeletes: 0,
  ghosts: 0,
  conflicts: 0,
  lost: undefined,
  shortPages: 0,
  shortWrites: 0,
})
