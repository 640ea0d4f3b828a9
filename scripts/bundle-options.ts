import type { BuildOptions } from 'esbuild'

/** How a function is bundled. The benchmarks bundle what they compare with in the same way. */
export const bundleOptions = {
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node24',
  format: 'esm',
  bundle: true,
  minify: true,
  // Splitting keeps the SDK's lazy imports lazy. A single file would import all of them at a cold start.
  splitting: true,
  mainFields: ['module', 'main'],
  legalComments: 'none',
} as const satisfies BuildOptions

/** Packages in CommonJS, such as `avsc`, require modules of Node, which an ES module cannot without this. */
export const requireBanner =
  "import { createRequire as createRequireOfBundle } from 'node:module';const require = createRequireOfBundle(import.meta.url);"
