import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { writeError } from '../operator/errors.ts'
import { writeWholeFile } from './whole-file.ts'

/** Values as lines of JSON, appended so that a process that is killed leaves each line whole or absent. */
export interface LinesFile {
  /** Throws `CommandError`, and leaves the file as it was, if the system refuses to write. */
  append(values: readonly unknown[]): void
}

/** What a file contains; a last line without an end was not written whole. Empty if there is no file. */
export function readLinesFile(file: string): unknown[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as unknown)
}

/** Writes the values to the file, in place of what it contains, and opens it to append more. */
export function openLinesFile(file: string, values: readonly unknown[]): LinesFile {
  writeWholeFile(file, textOf(values))
  return {
    append(more) {
      const { size } = statSync(file)
      try {
        appendFileSync(file, textOf(more))
      } catch (error) {
        truncateSync(file, size)
        throw writeError(file, error)
      }
    },
  }
}

const textOf = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')
