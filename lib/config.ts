import * as v from 'valibot'
import { pick } from '../functions/runtime/pick.ts'
import type { Settings } from '../functions/runtime/settings.ts'
import { ConfigurationError, describeIssues } from './config/configuration-errors.ts'
import { readConfigurationFile } from './config/configuration-file.ts'
import { findCertificateRegionError } from './config/domain.ts'
import { withErasureDefaults } from './config/erasure.ts'
import { configurationSchema, passedSchedules } from './config/schema.ts'

/** What a user writes. Keys with a default can be omitted. */
export type ConfigurationInput = v.InferInput<typeof configurationSchema>

/** The configuration with every default filled in. */
export type Configuration = v.InferOutput<typeof configurationSchema>

export { ConfigurationError } from './config/configuration-errors.ts'
export { defaultConfigurationFile } from './config/configuration-file.ts'

/** Gives the editor the type of a configuration. Errors are found when the configuration is loaded. */
export function defineConfig(input: ConfigurationInput): ConfigurationInput {
  return input
}

export interface LoadOptions {
  /** Replaces the configuration's. */
  readonly name?: string | undefined
  /** The region of the deployment, if it is known. */
  readonly region?: string | undefined
  /** Errors of a start only: commands must not fail because a year is over. */
  readonly schedules?: 'must-run'
}

/** Reads the configuration at a path, or the default one. Throws `ConfigurationError` with every error. */
export async function loadConfig(path?: string, options: LoadOptions = {}): Promise<Configuration> {
  const { input, source } = await readConfigurationFile(path)
  const { name } = options
  return resolveConfig(name === undefined ? input : { ...Object(input), name }, source, options)
}

/** Checks a configuration and fills in its defaults. Throws `ConfigurationError` with every error. */
export function resolveConfig(
  input: unknown,
  source = 'The configuration',
  { region, schedules }: Omit<LoadOptions, 'name'> = {},
): Configuration {
  const result = v.safeParse(configurationSchema, withErasureDefaults(input))
  const issues = describeIssues(result.issues ?? [])
  const passed = schedules === 'must-run' ? passedSchedules(input) : []
  const errors = [...issues, ...regionErrors(input, region), ...passed]
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
  const { eraseWithinDays } = configuration
  return {
    ...pick(configuration, 'name', 'upstream', 'credentials', 'auth', 'endpoints', 'validation', 'entities'),
    ...pick(configuration, 'maxConcurrentSyncs', 'maxConcurrentScrolls', 'stepSeconds', 'alerts'),
    ...(eraseWithinDays !== undefined && { eraseWithinDays }),
  }
}
