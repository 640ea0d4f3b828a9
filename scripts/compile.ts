import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Writes what the package contains to `compiled/`, or removes it (`--remove`): JavaScript and types of what runs on an
 * operator's machine, the built functions and the console. Node does not run TypeScript in `node_modules`.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const compiled = join(root, 'compiled')
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

rmSync(compiled, { recursive: true, force: true })
if (!process.argv.includes('--remove')) compile()

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
