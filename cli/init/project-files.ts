import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { featureFlags } from '../../lib/feature-flags.ts'
import { CommandError } from '../../operator/errors.ts'
import { writeAtomically } from '../../operator/snapshot/atomic-file.ts'
import type { PackageManager } from './package-manager.ts'

/** The npm scripts that the commands and the documentation name. */
const scripts = { start: 'longshore start', synth: 'cdk synth --quiet', deploy: 'cdk deploy --all' }

/** The CDK's command line, which pnpm and Yarn offer to a project only if the project itself names it. */
const { version: cdkVersion } = createRequire(import.meta.url)('aws-cdk/package.json') as { version: string }

/**
 * Makes a folder with the installed package a project to deploy: writes `cdk.json` unless it exists, and adds the scripts
 * and the CDK's command line that `package.json` does not have. Returns the names of the files that it wrote. Throws `CommandError`.
 */
export async function writeProjectFiles(
  folder: string,
  { execute }: Pick<PackageManager, 'execute'>,
): Promise<string[]> {
  const written: string[] = []
  const write = async (name: string, text: string) => {
    await writeAtomically(join(folder, name), (out) => out.write(text))
    written.push(name)
  }
  const extended = completed(await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}'))
  if (!existsSync(join(folder, 'cdk.json'))) await write('cdk.json', cdkText(execute))
  if (extended !== undefined) await write('package.json', extended)
  return written
}

/** The package manager finds the package from every shell. */
function cdkText(execute: string): string {
  return `${JSON.stringify({ app: `${execute} longshore app`, context: featureFlags }, null, 2)}\n`
}

/** Undefined if nothing is missing. */
function completed(text: string): string | undefined {
  const manifest = parsed(text)
  const missing = Object.entries(scripts).filter(([name]) => !Object.hasOwn(manifest.scripts ?? {}, name))
  const hasCdk = [manifest.dependencies, manifest.devDependencies].some(
    (given) => given && 'aws-cdk' in given,
  )
  if (missing.length === 0 && hasCdk) return undefined
  const extended = {
    ...manifest,
    scripts: { ...manifest.scripts, ...Object.fromEntries(missing) },
    ...(!hasCdk && { devDependencies: { ...manifest.devDependencies, 'aws-cdk': cdkVersion } }),
  }
  return `${JSON.stringify(extended, null, 2)}\n`
}

type ByName = Readonly<Record<string, string>>

interface PackageManifest {
  readonly scripts?: ByName
  readonly dependencies?: ByName
  readonly devDependencies?: ByName
}

function parsed(text: string): PackageManifest {
  try {
    return JSON.parse(text) as PackageManifest
  } catch (error) {
    throw new CommandError('package.json is not JSON.', { fix: 'correct it', cause: error })
  }
}
