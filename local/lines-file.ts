import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { writeError } from '../operator/errors.ts'

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

/** Writes a file whole or not at all, which only this user may read. Throws `CommandError` if the system refuses. */
export function writeWholeFile(file: string, text: string): void {
  const partial = `${file}.${process.pid}~`
  try {
    rmSync(partial, { force: true })
    writeFileSync(partial, text, { flag: 'wx', mode: 0o600 })
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw writeError(file, error)
  }
}
