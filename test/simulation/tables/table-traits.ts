/** How typed tables are made and disturbed. Probabilities are per start of a sync, or per call. */
export interface TableTraits {
  readonly pagesOfChunk: number
  /** Calls that Glue refuses, as without permission. */
  readonly refusals: number
  /** Glue tables that a person deletes or points elsewhere. */
  readonly foreignChanges: number
  /** Tables that a person makes by invoking the function, perhaps while a state machine makes them. */
  readonly direct: number
  /** Pauses of a day or so, after which the clean-up deletes files. */
  readonly restDays: number
  /** Deployments with other columns, or none. */
  readonly otherColumns: number
}

/** The traits after all faults have stopped. */
export const calmTables = (tables: TableTraits): TableTraits => ({
  ...tables,
  refusals: 0,
  foreignChanges: 0,
  direct: 0,
  restDays: 0,
  otherColumns: 0,
})
