import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { writeError } from '../operator/errors.ts'
import { writeWholeFile } from './whole-file.ts'

export type LinesFile = ReturnType<typeof openLinesFile>

/** What a file contains; a last line without an end was not written whole. Empty if there is no file. */
export function readLinesFile(file: string): unknown[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as unknown)
}

/** Writes lines of JSON in place of the file, and opens it to append more: a kill leaves each line whole or absent. */
export function openLinesFile(file: string, values: readonly unknown[]) {
  writeWholeFile(file, textOf(values))
  return {
    /** Throws `CommandError`, and leaves the file as it was, if the system refuses to write. */
    append(more: readonly unknown[]) {
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
