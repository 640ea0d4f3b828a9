import { readFileSync } from 'node:fs'

/**
 * What a deployed function is told from outside: small things that only the deployment knows as
 * environment variables (all of a function's variables share 4 KB), everything that the owner
 * configured as one file beside the code, which has room for hundreds of entities.
 */
export const environment = {
  table: 'STATE_TABLE_NAME',
  bucket: 'SNAPSHOT_BUCKET_NAME',
  stateMachine: 'SYNC_STATE_MACHINE_ARN',
  credentials: {
    logistics: 'CREDENTIALS_SECRET_LOGISTICS',
    subscriptions: 'CREDENTIALS_SECRET_SUBSCRIPTIONS',
    documents: 'CREDENTIALS_SECRET_DOCUMENTS',
  },
  metricNamespace: 'METRIC_NAMESPACE',
} as const

/**
 * One heap of malloc for all threads of the worker, in place of one for each that keeps what it once had (mallopt(3)).
 * A million documents then take 110 MB instead of 117, as fast (docs/performance.md).
 */
export const workerVariables = { MALLOC_ARENA_MAX: '1' } as const

/** The name of the settings file in the root of a function's code. */
export const settingsFileName = 'settings.json'

export interface EntitySettings {
  readonly name: string
  readonly schedule: string
  readonly timezone: string
  readonly pageSize: number
  /** Extra query parameters of the first scroll request; a list repeats the parameter. */
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly idField: string
  readonly keepSnapshots: number
  readonly maxShrinkPercent: number
  readonly allowEmpty: boolean
  readonly totalTolerancePercent: number
  readonly enabled: boolean
  readonly partitions: PartitionSettings | undefined
  /** `false`: no change sets for this entity. */
  readonly changes: ChangeSettings | false
}

/** How a sync is split into several scrolls over ranges of one field. */
export interface PartitionSettings {
  /** A date field whose value never changes. */
  readonly by: string
  /** Number of ranges, 2 to 10. */
  readonly count: number
}

export interface ChangeSettings {
  /** Top-level fields whose changes do not count. */
  readonly ignore: readonly string[]
  /** A change set that deletes more of its base than this is refused. */
  readonly maxDeletePercent: number
  readonly keepDays: number
}

export interface UpstreamSettings {
  /** An origin, without path and without a slash at its end. */
  readonly baseUrl: string
  readonly headerPrefix: string
  /** Path template with `{data_entity}`. */
  readonly searchPath: string
  /** Time for one proxied call as a whole, repeats included. */
  readonly timeoutSeconds: number
}

/** Who may call: AWS identities, or tokens of an OIDC issuer that are meant for one of these audiences. */
export type AuthSettings =
  | { readonly type: 'iam' }
  | { readonly type: 'jwt'; readonly issuer: string; readonly audience: readonly string[] }

/** Whether the body of a patch is checked against every field of the platform's interface, or only `item`. */
export const validations = ['strict', 'structure'] as const
export type Validation = (typeof validations)[number]

/** What the functions read of the configuration, with every default filled in. */
export interface Settings {
  readonly name: string
  readonly upstream: UpstreamSettings
  readonly auth: AuthSettings
  readonly validation: Validation
  readonly entities: readonly EntitySettings[]
  readonly maxConcurrentSyncs: number
  /** Scrolls open at the platform at once, over all entities. */
  readonly maxConcurrentScrolls: number
  readonly stepSeconds: number
}

/** Reads the settings file of the deployed function. Throws what `readFileSync` and `JSON.parse` throw. */
export function readSettings(folder = process.env['LAMBDA_TASK_ROOT'] ?? process.cwd()): Settings {
  return JSON.parse(readFileSync(`${folder}/${settingsFileName}`, 'utf8')) as Settings
}

/** The value of an environment variable that the stacks always set. */
export function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is not set: deploy the stacks again.`)
  return value
}
