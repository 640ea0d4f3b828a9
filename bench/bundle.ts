import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Bundles a file, or a module's text, as scripts/build.ts does; without splitting if asked. Returns its path. */
export async function bundle(
  source: { readonly file: string } | { readonly contents: string },
  folder: string,
  splitting = true,
): Promise<string> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  await build({
    absWorkingDir: root,
    ...('file' in source
      ? { entryPoints: { handler: source.file } }
      : { stdin: { contents: source.contents, resolveDir: root, loader: 'ts' }, entryNames: 'handler' }),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node24',
    format: 'esm',
    bundle: true,
    minify: true,
    splitting,
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'error',
  })
  return join(folder, 'handler.mjs')
}
