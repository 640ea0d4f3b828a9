import type { BuildOptions } from 'esbuild'

/** How a function is bundled, before what its start reads is merged; the bench bundles what it compares in this way. */
export const bundleOptions = {
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node24',
  format: 'esm',
  bundle: true,
  minify: true,
  // Splitting keeps the SDK's lazy imports lazy: a single file imports all of them at a cold start.
  splitting: true,
  mainFields: ['module', 'main'],
  legalComments: 'none',
} as const satisfies BuildOptions

/** How the build calls esbuild: it writes dist/ itself. */
export const outputOptions = {
  // Beside the code but not named in it: stacks leave *.map out of what they upload.
  sourcemap: 'external',
  logLevel: 'warning',
  write: false,
} as const satisfies BuildOptions
