import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Ignored by linters and removed by `npm ci`. */
const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))

/** A folder with the packages that a file pins. Installed again when the file changes. */
export async function installedPackages(
  { name, pins }: { readonly name: string; readonly pins: URL },
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(cache, name)
  const mark = join(folder, 'installed')
  const wanted = createHash('sha256').update(readFileSync(pins)).digest('hex')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await install(folder)
  writeFileSync(mark, wanted)
  return folder
}
