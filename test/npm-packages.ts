import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { CleanUp } from './clean-up.ts'
import { installedPackages } from './installed-packages.ts'
import { pathWithOurNode, run } from './processes.ts'

/** A folder with the packages that a `package.json` pins. */
export function npmPackages(
  { name, manifest }: { readonly name: string; readonly manifest: URL },
  cleanUp: Pick<CleanUp, 'add'>,
): Promise<string> {
  const options = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']
  const environment = { PATH: pathWithOurNode() }
  return installedPackages({ name: `${name}-packages`, pins: manifest }, (folder) => {
    cpSync(manifest, join(folder, 'package.json'))
    const args = ['install', '--prefix', folder, ...options]
    return run({ file: 'npm', arguments: args, environment, timeoutSeconds: 600 }, cleanUp)
  })
}
