import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import type { Settings } from '../functions/runtime/settings.ts'
import { findCertificateRegionError } from './config/domain.ts'
import { withErasureDefaults } from './config/erasure.ts'
import { ConfigurationError, describeIssues } from './config/errors.ts'
import { configurationSchema } from './config/schema.ts'
import { projectFolder } from './project.ts'

/** What a user writes. Keys with a default can be omitted. */
export type ConfigurationInput = v.InferInput<typeof configurationSchema>

/** The configuration with every default filled in. */
export type Configuration = v.InferOutput<typeof configurationSchema>

export { ConfigurationError } from './config/errors.ts'

/** Gives the editor the type of a configuration. Errors are found when the configuration is loaded. */
export function defineConfig(input: ConfigurationInput): ConfigurationInput {
  return input
}

/** Absolute path of the configuration that is read by default. */
export const defaultConfigurationFile = join(projectFolder, 'longshore.config.ts')

export interface LoadOptions {
  /** Replaces the configuration's. */
  readonly name?: string | undefined
  /** The region of the deployment, if it is known. */
  readonly region?: string | undefined
}

/**
 * Reads a configuration from a `.ts`, `.js` or `.json` file; the path is relative to the working directory.
 * Throws `ConfigurationError` with every error.
 */
export async function loadConfig(
  path = defaultConfigurationFile,
  { name, region }: LoadOptions = {},
): Promise<Configuration> {
  const source =
    path === defaultConfigurationFile ? 'longshore.config.ts' : path || 'The configuration with an empty path'
  const input = await readConfig(resolve(path), source)
  return resolveConfig(name === undefined ? input : { ...Object(input), name }, source, region)
}

/** Checks a configuration and fills in its defaults. Throws `ConfigurationError` with every error. */
export function resolveConfig(input: unknown, source = 'The configuration', region?: string): Configuration {
  const result = v.safeParse(configurationSchema, withErasureDefaults(input))
  const errors = [...describeIssues(result.issues ?? []), ...regionErrors(input, region)]
  if (!result.success || errors.length > 0) throw new ConfigurationError(source, errors)
  return result.output
}

/** The schema cannot know the region. */
function regionErrors(input: unknown, region: string | undefined): string[] {
  const { certificateArn } = Object(Object(input).domain) as { certificateArn?: unknown }
  if (region === undefined || typeof certificateArn !== 'string') return []
  const error = findCertificateRegionError(certificateArn, region)
  return error ? [`domain.certificateArn: ${error}`] : []
}

/** The part of the configuration that the functions read. */
export function settingsOf(configuration: Configuration): Settings {
  const { name, upstream, auth, validation, entities, stepSeconds } = configuration
  const { maxConcurrentSyncs, maxConcurrentScrolls, eraseWithinDays } = configuration
  return {
    name,
    upstream,
    auth,
    validation,
    entities,
    maxConcurrentSyncs,
    maxConcurrentScrolls,
    stepSeconds,
    ...(eraseWithinDays !== undefined && { eraseWithinDays }),
  }
}

async function readConfig(file: string, source: string): Promise<unknown> {
  if (!isFile(file)) throw new ConfigurationError(source, ['the file does not exist'])
  try {
    // Some editors write a byte order mark, which JSON does not allow (RFC 8259 section 8.1).
    if (file.endsWith('.json')) return JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''))
    const module: { default?: unknown } = await import(pathToFileURL(file).href)
    if ('default' in module) return module.default
  } catch (error) {
    const [reason] = String(error).split('\n')
    throw new ConfigurationError(source, [`the file cannot be read: ${reason}`])
  }
  throw new ConfigurationError(source, [
    'the file has no default export; add export default defineConfig({…})',
  ])
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
