import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as esbuild from 'esbuild'
import { bundleOptions } from '../scripts/bundle-options.ts'

export type BundleSource = { readonly file: string } | { readonly contents: string }

/** Bundles a file or the text of a module as scripts/build.ts does. Returns the path of the entry. */
export const bundle = (source: BundleSource, folder: string) => build(source, folder, { splitting: true })

/** The same without code splitting. */
export const bundleSingleFile = (source: BundleSource, folder: string) =>
  build(source, folder, { splitting: false })

async function build(
  source: BundleSource,
  folder: string,
  { splitting }: { splitting: boolean },
): Promise<string> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  await esbuild.build({
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
