/** The names of the measured deployment. Measured processes import this file alone, so that they contain nothing else. */
export const table = 'bench-state'
export const bucket = 'bench-snapshots'
export const secret = 'bench-credentials'
export const entity = 'BENCH'
