/** Why a snapshot counts as complete. */
export type Proof = 'exact' | 'within-tolerance' | 'no-total'

/** Why an increment counts as complete. `no-total`: totals are ignored, and two scrolls agreed. */
export type IncrementProof = Proof
