/** Why a snapshot or an increment counts as complete. `no-total` of an increment: two scrolls agreed. */
export type Proof = 'exact' | 'within-tolerance' | 'no-total'
