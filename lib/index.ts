export { type Configuration, ConfigurationError, type ConfigurationInput, defineConfig } from './config.ts'
export { Longshore } from './longshore.ts'
