import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { type FunctionName, lambdaFunctions } from '../functions/http/lambda-functions.ts'
import { bundleOptions, requireBanner } from './bundle-options.ts'
import { noticesOf, thirdPartyNotices } from './third-party-notices.ts'
import { type OutputFile, writeOutput } from './write-output.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

/** The files of dist/<name>: handler.mjs, its chunks, their source maps and the licenses of what they contain. */
async function bundle(name: FunctionName): Promise<OutputFile[]> {
  const { outputFiles, metafile } = await build({
    ...bundleOptions,
    metafile: true,
    absWorkingDir: root,
    entryPoints: { handler: `functions/${name}/handler.ts` },
    outdir: join(dist, name),
    ...(name === 'tables' && { banner: { js: requireBanner } }),
    // The code does not refer to its maps: the stacks leave *.map files out of what they upload.
    sourcemap: 'external',
    logLevel: 'warning',
    write: false,
  })
  return [...outputFiles, thirdPartyNotices(metafile, root, join(dist, name))]
}

/** The files of dist/console: the operator's page with its libraries. */
async function bundlePage(): Promise<OutputFile[]> {
  const page = join(root, 'console/client')
  const outdir = join(dist, 'console')
  const { outputFiles, metafile } = await build({
    metafile: true,
    absWorkingDir: page,
    entryPoints: { console: 'main.tsx', style: 'style.css', theme: 'theme.css' },
    outdir,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  })
  return [
    ...outputFiles,
    thirdPartyNotices(metafile, page, outdir),
    { path: join(outdir, 'index.html'), contents: readFileSync(join(page, 'index.html')) },
  ]
}

/** The files of dist/reference-page: the library of the API reference, of which the package needs nothing else. */
function referenceLibrary(): OutputFile[] {
  const library = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
  const outdir = join(dist, 'reference-page')
  const files = ['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) => join(library, name))
  return [
    ...files.map((file) => ({ path: join(outdir, basename(file)), contents: readFileSync(file) })),
    noticesOf(files, outdir),
  ]
}

function report(name: string, files: readonly OutputFile[]): void {
  const code = files.filter(({ path }) => path.endsWith('.mjs'))
  const sizeBytes = code.reduce((sum, { contents }) => sum + contents.byteLength, 0)
  console.log(row(name, sizeBytes.toLocaleString('en'), String(code.length)))
}

const row = (name: string, bytes: string, files: string) =>
  `${name.padEnd(10)}${bytes.padStart(10)}${files.padStart(7)}`

/** Writes dist. Returns what each function consists of; undefined if esbuild reported a failure, with file and line. */
export async function buildAll(): Promise<OutputFile[][] | undefined> {
  try {
    const [page, ...bundles] = await Promise.all([bundlePage(), ...lambdaFunctions.map(bundle)])
    writeOutput(dist, [...page, ...referenceLibrary(), ...bundles.flat()])
    return bundles
  } catch (error) {
    if (!(error instanceof Error && 'errors' in error)) throw error
    return undefined
  } finally {
    await stop()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bundles = await buildAll()
  if (!bundles) process.exitCode = 1
  else if (!process.argv.includes('--quiet')) {
    console.log(row('function', 'bytes', 'files'))
    for (const [index, name] of lambdaFunctions.entries()) report(name, bundles[index] ?? [])
  }
}
