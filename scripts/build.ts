import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Each of these folders of `functions/` becomes a Lambda function: dist/<name>/handler.mjs and its chunks. */
const functionNames = ['proxy', 'sync', 'sync-api'] as const

const root = fileURLToPath(new URL('..', import.meta.url))
const quiet = process.argv.includes('--quiet')

async function bundle(name: string) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { handler: `functions/${name}/handler.ts` },
    outdir: `dist/${name}`,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node24',
    format: 'esm',
    bundle: true,
    minify: true,
    // Splitting keeps the SDK's lazy imports lazy: a single file imports all of them at a cold start.
    splitting: true,
    mainFields: ['module', 'main'],
    // Beside the code but not named in it: stacks leave *.map out of what they upload.
    sourcemap: 'external',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  const code = Object.entries(result.metafile.outputs).filter(([path]) => path.endsWith('.mjs'))
  return { name, files: code.length, sizeBytes: code.reduce((sum, [, output]) => sum + output.bytes, 0) }
}

rmSync(`${root}/dist`, { recursive: true, force: true })
try {
  const bundles = await Promise.all(functionNames.map(bundle))
  if (!quiet) {
    console.log(`${'function'.padEnd(10)}${'bytes'.padStart(10)}${'files'.padStart(7)}`)
    for (const { name, sizeBytes, files } of bundles) {
      const bytes = sizeBytes.toLocaleString('en')
      console.log(`${name.padEnd(10)}${bytes.padStart(10)}${String(files).padStart(7)}`)
    }
  }
} catch (error) {
  // esbuild has said what and where.
  if (!(error instanceof Error && 'errors' in error)) throw error
  process.exitCode = 1
}
