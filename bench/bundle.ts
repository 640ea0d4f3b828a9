import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as esbuild from 'esbuild'
import { bundleOptions } from '../scripts/bundle-options.ts'

/** Bundles a file as scripts/build.ts does. Returns the path of the entry. */
export async function bundle(file: string, folder: string): Promise<string> {
  await esbuild.build({
    ...bundleOptions,
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: { handler: file },
    outdir: folder,
    logLevel: 'error',
  })
  return join(folder, 'handler.mjs')
}
