/** Why a snapshot counts as complete. */
export type Proof = 'exact' | 'within-tolerance' | 'no-total'
