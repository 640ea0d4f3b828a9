import type { ColumnPaths } from './column-paths.ts'

/** Where the values of an entity's columns are in a document. */
export class FoundValues {
  /** -1 if the document has no such value. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** How each string is written: one of `notations`. */
  readonly notations: Uint8Array

  constructor(columns: number) {
    this.starts = new Int32Array(columns).fill(-1)
    this.ends = new Int32Array(columns)
    this.notations = new Uint8Array(columns)
  }

  clear(): void {
    this.starts.fill(-1)
  }

  /** A member follows, which replaces an earlier one of the same name with all that it had. */
  clearBelow(paths: ColumnPaths): void {
    for (const column of paths.covered) this.starts[column] = -1
  }

  /** A value is from `start` to `end`. */
  set(paths: ColumnPaths, start: number, end: number): void {
    for (const column of paths.columns) {
      this.starts[column] = start
      this.ends[column] = end
    }
  }

  setNotation(paths: ColumnPaths, notation: number): void {
    for (const column of paths.columns) this.notations[column] = notation
  }
}
