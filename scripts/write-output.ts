import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface OutputFile {
  readonly path: string
  readonly contents: Uint8Array
}

/**
 * Makes a folder contain these files, one folder deep, and no others. A file that is already up to date is not
 * touched, so that tests can read it while another build runs.
 */
export function writeOutput(folder: string, files: readonly OutputFile[]): void {
  const wanted = new Set(files.flatMap(({ path }) => [path, dirname(path)]))
  for (const path of globSync(['*', '*/*'], { cwd: folder }).map((name) => join(folder, name)))
    if (!wanted.has(path)) rmSync(path, { recursive: true, force: true })
  for (const { path, contents } of files) {
    if (existsSync(path) && readFileSync(path).equals(contents)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
}
