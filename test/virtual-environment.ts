import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CleanUp } from './clean-up.ts'
import { run } from './processes.ts'

/** Ignored by linters and removed by `npm ci`. */
const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))

/** The program folder of a Python environment with the pinned requirements. Installed again when they change. */
export async function virtualEnvironment(
  { name, requirements }: { readonly name: string; readonly requirements: URL },
  cleanUp: Pick<CleanUp, 'add'>,
): Promise<string> {
  const folder = join(cache, `${name}-venv`)
  const mark = join(folder, 'installed')
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex')
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
    rmSync(folder, { recursive: true, force: true })
    await run({ file: 'python3', arguments: ['-m', 'venv', folder] }, cleanUp)
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input']
    const file = fileURLToPath(requirements)
    await run({ file: join(folder, 'bin', 'python'), arguments: [...pip, '-r', file] }, cleanUp)
    writeFileSync(mark, wanted)
  }
  return join(folder, 'bin')
}
