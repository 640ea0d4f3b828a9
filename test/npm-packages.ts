import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CleanUp } from './clean-up.ts'
import { pathWithOurNode, run } from './processes.ts'

/** Ignored by linters and removed by `npm ci`. */
const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))

/** A folder with the packages that a `package.json` pins. Installed again when it changes. */
export async function npmPackages(
  { name, manifest }: { readonly name: string; readonly manifest: URL },
  cleanUp: Pick<CleanUp, 'add'>,
): Promise<string> {
  const folder = join(cache, `${name}-packages`)
  const mark = join(folder, 'installed')
  const wanted = createHash('sha256').update(readFileSync(manifest)).digest('hex')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(manifest, join(folder, 'package.json'))
  const options = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']
  const environment = { PATH: pathWithOurNode() }
  await run(
    { file: 'npm', arguments: ['install', '--prefix', folder, ...options], environment, timeoutSeconds: 600 },
    cleanUp,
  )
  writeFileSync(mark, wanted)
  return folder
}
