import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from '../scripts/bundle-options.ts'

/** Bundles a file, or a module's text, as scripts/build.ts does before it merges; without splitting if asked. Returns its path. */
export async function bundle(
  source: { readonly file: string } | { readonly contents: string },
  folder: string,
  splitting = true,
): Promise<string> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  await build({
    ...bundleOptions,
    absWorkingDir: root,
    ...('file' in source
      ? { entryPoints: { handler: source.file } }
      : { stdin: { contents: source.contents, resolveDir: root, loader: 'ts' }, entryNames: 'handler' }),
    outdir: folder,
    splitting,
    logLevel: 'error',
  })
  return join(folder, 'handler.mjs')
}
