import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type OutputFile } from 'esbuild'
import { bundleOptions, outputOptions } from './bundle-options.ts'
import { mergeStart } from './merge-start.ts'

/** Each of these folders of `functions/` becomes a Lambda function: dist/<name>/handler.mjs and its chunks. */
const functionNames = ['proxy', 'worker', 'sync-api', 'openapi', 'freshness'] as const

const root = fileURLToPath(new URL('..', import.meta.url))
const quiet = process.argv.includes('--quiet')

async function bundled(name: string): Promise<OutputFile[]> {
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

/** Makes dist/ hold these files and no others. What is right already stays, so that nobody reads half a file. */
function writeAll(files: readonly OutputFile[]): void {
  const dist = join(root, 'dist')
  const wanted = new Set(files.map(({ path }) => path))
  for (const old of globSync('**/*.*', { cwd: dist }).map((path) => join(dist, path)))
    if (!wanted.has(old)) rmSync(old, { force: true, recursive: true })
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
  const bundles = await Promise.all(functionNames.map(bundled))
  writeAll(bundles.flat())
  if (!quiet) {
    console.log(row('function', 'bytes', 'files'))
    for (const [index, name] of functionNames.entries()) report(name, bundles[index] ?? [])
  }
} catch (error) {
  // A build failure esbuild has told already, with file and line.
  if (!(error instanceof Error && 'errors' in error)) throw error
  process.exitCode = 1
}
