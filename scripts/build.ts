import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type OutputFile } from 'esbuild'
import { type FunctionName, lambdaFunctions } from '../functions/lambda-functions.ts'
import { bundleOptions, outputOptions } from './bundle-options.ts'
import { mergeStart } from './merge-start.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const quiet = process.argv.includes('--quiet')

async function bundled(name: FunctionName): Promise<OutputFile[]> {
  const folder = join(root, 'dist', name)
  const bundle = await build({
    ...bundleOptions,
    ...outputOptions,
    absWorkingDir: root,
    entryPoints: { handler: `functions/${name}/handler.ts` },
    outdir: folder,
    metafile: true,
  })
  return mergeStart(bundle, folder)
}

/** Makes dist/ contain these files and no others. A file that is already up to date is not touched. */
function writeAll(files: readonly OutputFile[]): void {
  const dist = join(root, 'dist')
  const wanted = new Set(files.flatMap(({ path }) => [path, dirname(path)]))
  for (const path of globSync(['*', '*/*'], { cwd: dist }).map((name) => join(dist, name)))
    if (!wanted.has(path)) rmSync(path, { recursive: true, force: true })
  for (const { path, contents } of files) {
    if (existsSync(path) && readFileSync(path).equals(contents)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
}

function report(name: string, files: readonly OutputFile[]): void {
  const code = files.filter(({ path }) => path.endsWith('.mjs'))
  const sizeBytes = code.reduce((sum, { contents }) => sum + contents.byteLength, 0)
  console.log(row(name, sizeBytes.toLocaleString('en'), String(code.length)))
}

const row = (name: string, bytes: string, files: string) =>
  `${name.padEnd(10)}${bytes.padStart(10)}${files.padStart(7)}`

try {
  const bundles = await Promise.all(lambdaFunctions.map(bundled))
  writeAll(bundles.flat())
  if (!quiet) {
    console.log(row('function', 'bytes', 'files'))
    for (const [index, name] of lambdaFunctions.entries()) report(name, bundles[index] ?? [])
  }
} catch (error) {
  // esbuild has already reported a build failure, with file and line.
  if (!(error instanceof Error && 'errors' in error)) throw error
  process.exitCode = 1
}
