import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CleanUp } from './clean-up.ts'
import { installedPackages } from './installed-packages.ts'
import { run } from './processes.ts'

/** The program folder of a Python environment with the pinned requirements. */
export async function virtualEnvironment(
  { name, requirements }: { readonly name: string; readonly requirements: URL },
  cleanUp: Pick<CleanUp, 'add'>,
): Promise<string> {
  const folder = await installedPackages({ name: `${name}-venv`, pins: requirements }, async (folder) => {
    await run({ file: 'python3', arguments: ['-m', 'venv', folder] }, cleanUp)
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input']
    const file = fileURLToPath(requirements)
    await run({ file: join(folder, 'bin', 'python'), arguments: [...pip, '-r', file] }, cleanUp)
  })
  return join(folder, 'bin')
}
