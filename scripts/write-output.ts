import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface OutputFile {
  readonly path: string
  readonly contents: Uint8Array
}

/** Makes a folder contain only these files. It does not touch what is up to date, which tests may be reading. */
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
