import type { ColumnPaths } from './column-paths.ts'

/** Where the values of an entity's columns are in a document. */
export class FoundValues {
  /** -1 if the document has no such value. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** 1 for strings that contain escapes. */
  readonly escaped: Uint8Array

  constructor(columns: number) {
    this.starts = new Int32Array(columns).fill(-1)
    this.ends = new Int32Array(columns)
    this.escaped = new Uint8Array(columns)
  }

  clear(): void {
    this.starts.fill(-1)
  }

  /** Call this before a member is read: it replaces an earlier one of the same name, including everything in it. */
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

  setEscaped(paths: ColumnPaths, isEscaped: boolean): void {
    for (const column of paths.columns) this.escaped[column] = isEscaped ? 1 : 0
  }
}
