import { readFileSync } from 'node:fs'
import type { BuiltInArea } from '../platform/areas.ts'
import type { ConfiguredEndpoint } from '../platform/configured-endpoints.ts'
import type { EntitySettings } from './settings-schema/entity.ts'

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

export type {
  ChangeSettings,
  EntitySettings,
  PartitionSettings,
  TotalsRule,
} from './settings-schema/entity.ts'

export interface UpstreamSettings {
  /** An origin without a path or a trailing slash. */
  readonly baseUrl: string
  readonly headerPrefix: string
  /** A path template that contains `{data_entity}`. */
  readonly searchPath: string
  /** Time limit of one proxied call, retries included. */
  readonly timeoutSeconds: number
  /** The account that callers may name. */
  readonly account?: string | undefined
}

/** Who may call the API: AWS identities, or tokens that an OIDC issuer issued for one of these audiences. */
export type AuthSettings =
  | { readonly type: 'iam' }
  | { readonly type: 'jwt'; readonly issuer: string; readonly audience: readonly string[] }

/** Whether the body of a patch is checked against every field of the platform's interface, or only `item`. */
export const validations = ['strict', 'structure'] as const
export type Validation = (typeof validations)[number]

/** How a message about problems is written. */
export const alertTypes = ['slack', 'teams', 'webhook'] as const
export type AlertType = (typeof alertTypes)[number]

/** Where problems are reported. */
export interface AlertSettings {
  readonly type: AlertType
  /** Name or ARN of the secret that contains the receiver's address. */
  readonly url: string
  /** Whether notes are reported too. */
  readonly notes: boolean
}

/** The part of the configuration that the functions read, with every default filled in. */
export interface Settings {
  readonly name: string
  readonly upstream: UpstreamSettings
  /** Name or ARN of the secret of each area that has its own. */
  readonly credentials: Readonly<Record<string, string>>
  readonly auth: AuthSettings
  /** Further endpoints of the API proxy. */
  readonly endpoints: readonly ConfiguredEndpoint[]
  readonly validation: Validation
  readonly entities: readonly EntitySettings[]
  readonly maxConcurrentSyncs: number
  /** Scrolls open at the platform at once, over all entities. */
  readonly maxConcurrentScrolls: number
  readonly stepSeconds: number
  /** Content that is no longer published is gone from the bucket after this many days. */
  readonly eraseWithinDays?: number | undefined
  readonly alerts: readonly AlertSettings[]
}

export function readSettings(folder = process.env['LAMBDA_TASK_ROOT'] ?? process.cwd()): Settings {
  return JSON.parse(readFileSync(`${folder}/${settingsFileName}`, 'utf8')) as Settings
}

/** The value of an environment variable that the stacks always set. */
export function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is not set. Deploy the stacks again.`)
  return value
}
