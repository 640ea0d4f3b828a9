import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Answer } from './respond.ts'

const page = fileURLToPath(new URL('../page', import.meta.url))

/** The files of the page by path. */
export type Assets = ReadonlyMap<string, Answer>

/** Bundles the page with its libraries. Nothing is written to disk. */
export async function bundleAssets(): Promise<Assets> {
  // Loaded here, so that other commands start without it.
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: page,
    entryPoints: { console: 'main.tsx', style: 'style.css' },
    outdir: '/console',
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
  const built = (extension: string) =>
    outputFiles.find(({ path }) => path.endsWith(extension))?.contents ?? new Uint8Array()
  const asset = (type: string, body: Uint8Array): Answer => ({
    status: 200,
    headers: { 'content-type': `${type}; charset=utf-8` },
    body,
  })
  return new Map([
    ['/', asset('text/html', readFileSync(`${page}/index.html`))],
    ['/console/console.js', asset('text/javascript', built('.js'))],
    ['/console/style.css', asset('text/css', built('.css'))],
  ])
}
