import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { featureFlags } from '../../lib/feature-flags.ts'
import { CommandError } from '../../operator/errors.ts'
import { writeAtomically } from '../../operator/snapshot/atomic-file.ts'

/** The npm scripts that the commands and the documentation name. */
const scripts = { start: 'longshore start', synth: 'cdk synth --quiet', deploy: 'cdk deploy --all' }

/**
 * Makes a folder with the installed package a project to deploy: writes `cdk.json` unless it exists, and adds the scripts
 * that `package.json` does not have. Returns the names of the files that it wrote. Throws `CommandError`.
 */
export async function writeProjectFiles(folder: string): Promise<string[]> {
  const written: string[] = []
  const write = async (name: string, text: string) => {
    await writeAtomically(join(folder, name), (out) => out.write(text))
    written.push(name)
  }
  const extended = withScripts(await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}'))
  if (!existsSync(join(folder, 'cdk.json'))) await write('cdk.json', cdkText())
  if (extended !== undefined) await write('package.json', extended)
  return written
}

/** `npx` finds the package from every shell, and the package finds a Node that runs it. */
function cdkText(): string {
  return `${JSON.stringify({ app: 'npx --no-install longshore app', context: featureFlags }, null, 2)}\n`
}

/** Undefined if nothing is missing. */
function withScripts(text: string): string | undefined {
  const manifest = parsed(text)
  const missing = Object.entries(scripts).filter(([name]) => !Object.hasOwn(manifest.scripts ?? {}, name))
  if (missing.length === 0) return undefined
  const extended = {
    ...manifest,
    scripts: { ...manifest.scripts, ...Object.fromEntries(missing) },
  }
  return `${JSON.stringify(extended, null, 2)}\n`
}

interface PackageManifest {
  readonly scripts?: Readonly<Record<string, string>>
}

function parsed(text: string): PackageManifest {
  try {
    return JSON.parse(text) as PackageManifest
  } catch (error) {
    throw new CommandError('package.json is not JSON.', { fix: 'correct it', cause: error })
  }
}
