import { readFileSync } from 'node:fs'
import type { BuiltInArea } from '../platform/areas.ts'
import type { Settings } from './settings.ts'

/**
 * Environment variables of a deployed function: values that only the deployment knows. The configuration is a file in
 * the function's code instead, because all variables of a function share 4 KB.
 */
export const environment = {
  table: 'STATE_TABLE_NAME',
  bucket: 'SNAPSHOT_BUCKET_NAME',
  stateMachine: 'SYNC_STATE_MACHINE_ARN',
  publisher: 'PUBLISHER_FUNCTION_NAME',
  alarmsTopic: 'ALARMS_TOPIC_ARN',
  credentials: {
    logistics: 'CREDENTIALS_SECRET_LOGISTICS',
    subscriptions: 'CREDENTIALS_SECRET_SUBSCRIPTIONS',
    documents: 'CREDENTIALS_SECRET_DOCUMENTS',
  } satisfies Record<BuiltInArea, string>,
  glueDatabase: 'GLUE_DATABASE_NAME',
  metricNamespace: 'METRIC_NAMESPACE',
  /** How commands begin in messages; only of `npm start`. */
  commandLine: 'LONGSHORE_COMMAND_LINE',
} as const

/** Settings file in the root of a function's code. */
export const settingsFileName = 'settings.json'

export const readSettings = (folder = process.env['LAMBDA_TASK_ROOT'] ?? process.cwd()): Settings =>
  JSON.parse(readFileSync(`${folder}/${settingsFileName}`, 'utf8')) as Settings

/** The value of an environment variable that the stacks always set. */
export function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is not set. Deploy the stacks again.`)
  return value
}
