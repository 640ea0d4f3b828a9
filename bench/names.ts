/** The names of the measured deployment. This file imports nothing, so that measured processes load nothing for them. */
export const table = 'bench-state'
export const bucket = 'bench-snapshots'
export const publisher = 'publisher'
export const secret = 'bench-credentials'
export const entity = 'BENCH'
