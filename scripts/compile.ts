import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundlePackages } from './bundle-packages.ts'
import { writeBillOfMaterials, writeChecksums } from './package-contents.ts'
import { thirdPartyNotices } from './third-party-notices.ts'

/**
 * Writes what the package contains to `compiled/`, or removes it (`--remove`): JavaScript and types of what runs on an
 * operator's machine, the built functions and the console with their checksums, a bill of materials, and the construct
 * once more for CommonJS. Node does not run TypeScript in `node_modules`.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const compiled = join(root, 'compiled')
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

rmSync(compiled, { recursive: true, force: true })
if (!process.argv.includes('--remove')) {
  compile()
  await bundlePackages(root, compiled)
  await compileForCommonJs()
  writeChecksums(compiled)
  writeBillOfMaterials(compiled, JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
}

function compile(): void {
  execFileSync(process.execPath, [tsc, '-p', 'scripts/tsconfig.compile.json'], {
    cwd: root,
    stdio: 'inherit',
  })
  cpSync(join(root, 'dist'), join(compiled, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  })
  cpSync(join(root, 'local/reference-page'), join(compiled, 'local/reference-page'), { recursive: true })
}

/** The construct in `compiled/commonjs/` for apps in CommonJS: one file, as deep as the modules. */
async function compileForCommonJs(): Promise<void> {
  const folder = join(compiled, 'commonjs')
  const types = globSync('{lib,functions,stored}/**/*.d.ts', { cwd: compiled })
  for (const file of types) cpSync(join(compiled, file), join(folder, file))
  // Decides how Node and TypeScript read the files below.
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: [join(root, 'lib/index.ts')],
    outfile: join(folder, 'lib/index.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['aws-cdk-lib', 'constructs'],
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href" },
  })
  const { path, contents } = thirdPartyNotices(metafile, root, folder)
  writeFileSync(path, contents)
}
