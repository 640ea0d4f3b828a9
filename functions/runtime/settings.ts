import type { ConfiguredEndpoint } from '../platform/configured-endpoints.ts'
import type { EntitySettings } from './settings-schema/entity.ts'

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
