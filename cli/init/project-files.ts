import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { featureFlags } from '../../lib/feature-flags.ts'
import { CommandError } from '../../operator/errors.ts'
import { writeAtomically } from '../../operator/snapshot/atomic-file.ts'

/** The npm scripts that the commands and the documentation name. */
const scripts = { start: 'longshore start', synth: 'cdk synth --quiet', deploy: 'cdk deploy --all' }

/** The CDK as this version was tested with it. pnpm and Yarn give a project only the packages that it names. */
function cdkPackages() {
  const { dependencies, devDependencies } = createRequire(import.meta.url)(
    '@longshore/longshore/package.json',
  ) as Readonly<Record<'dependencies' | 'devDependencies', ByName>>
  const pinned = { ...dependencies, ...devDependencies }
  return ['aws-cdk', 'aws-cdk-lib', 'constructs'].map((name) => [name, pinned[name] ?? ''] as const)
}

/**
 * Makes a folder with the installed package a project to deploy: writes `cdk.json` unless it exists, and adds the scripts
 * and packages of the CDK that `package.json` does not have. Returns the names of the files that it wrote. Throws `CommandError`.
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
  const given = { ...manifest.dependencies, ...manifest.devDependencies }
  const packages = cdkPackages().filter(([name]) => !Object.hasOwn(given, name))
  if (missing.length === 0 && packages.length === 0) return undefined
  const extended = {
    ...manifest,
    scripts: { ...manifest.scripts, ...Object.fromEntries(missing) },
    ...(packages.length > 0 && {
      devDependencies: { ...manifest.devDependencies, ...Object.fromEntries(packages) },
    }),
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

/** How a package manager installs, and how it runs a program of an installed package. */
export interface PackageManager {
  readonly install: string
  readonly execute: string
}

const npm: PackageManager = { install: 'npm install', execute: 'npx --no-install' }
const others: Readonly<Record<string, PackageManager>> = {
  pnpm: { install: 'pnpm install', execute: 'pnpm exec' },
  // Below its Plug'n'Play there are no programs on the path, and npx finds none.
  yarn: { install: 'yarn install', execute: 'yarn run' },
}

/** The one that started this process, by `npm_config_user_agent` (`pnpm/10.1.0 npm/? node/v24.0.0 …`); npm if none did. */
export function packageManager(userAgent = process.env['npm_config_user_agent'] ?? ''): PackageManager {
  return others[userAgent.split('/')[0] ?? ''] ?? npm
}
