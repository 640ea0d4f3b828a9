export { type Configuration, ConfigurationError, type ConfigurationInput, defineConfig } from './config.ts'
export { Longshore } from './longshore.ts'
export type { LongshoreProps } from './longshore-props.ts'
