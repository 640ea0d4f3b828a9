/** Why a snapshot counts as complete. */
export type Proof = 'exact' | 'within-tolerance' | 'no-total'

/** Why an increment counts as complete. */
export type IncrementProof = Extract<Proof, 'exact' | 'within-tolerance'>
