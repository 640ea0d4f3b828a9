import type { ReadFacts } from '../../functions/problems/read-facts.ts'
import type { CredentialsErrorKind } from '../../functions/upstream/exchange.ts'
import type { Configuration } from '../../lib/config.ts'
import type { CredentialCheck, ServedAreas } from '../access/check.ts'
import type { CodeFact } from './code.ts'

/** The keys that everything may decrypt with. */
export type ConfiguredKeys = Pick<Configuration, 'encryptionKeyArn' | 'previousEncryptionKeyArns'>

/** What only the doctor looks up of an entity with increments. */
export interface IncrementFact {
  readonly entity: string
  /** The run of the chain's snapshot, which readers begin with, if that snapshot is gone. */
  readonly lostSnapshot: string | undefined
}

/** What the schema report of an entity's published snapshot says. */
export interface ReportFact {
  readonly entity: string
  /** Documents that contain half of a surrogate pair. */
  readonly loneSurrogates: number
}

/** An object of a sample, and what encrypts it. */
export interface EncryptionFact {
  readonly entity: string
  readonly object: string
  /** The ARN of the KMS key; undefined if S3's own key does, or if there is no such object. */
  readonly kmsKey: string | undefined
}

/** The result of one inspection. A failed one does not hide the others. */
export type Inspected<T> =
  | { readonly value: T }
  | { readonly failure: string; readonly fix: string | undefined }
  /** It needs a stack that does not exist. */
  | { readonly notDeployed: true }

export interface StackFact {
  readonly name: string
  /** CloudFormation's status; undefined if the stack does not exist. */
  readonly status: string | undefined
}

export interface CredentialsFact extends ServedAreas {
  /** `not-read`: the operator may not read the secret, and its versions do not show that it is not set. */
  readonly state: 'set' | 'not-read' | CredentialsErrorKind
  readonly detail: string
  readonly checks: readonly CredentialCheck[]
}

/** The secret with the address of a receiver. */
export interface AlertFact {
  /** `alerts[0] (slack)`. */
  readonly name: string
  /** `not-read`: the operator may not read it. */
  readonly state: 'set' | 'not-read' | 'missing' | 'malformed'
  readonly detail: string
}

/** What can be inspected of every deployment, a running `npm start` included, which has no stacks and no schedules. */
export interface CommonFacts {
  readonly now: number
  readonly baseUrl: string
  readonly upstream: Inspected<{ status: number } | { failure: string }>
  /** Of each secret. */
  readonly credentials: readonly Inspected<CredentialsFact>[]
  /** Of each alert. */
  readonly alerts: readonly Inspected<AlertFact>[]
  /** What decides about the problems that `status` shows too. */
  readonly look: Inspected<ReadFacts>
  /** Of the entities with increments. */
  readonly increments: Inspected<readonly IncrementFact[]>
  /** Of the entities that have one. */
  readonly reports: Inspected<readonly ReportFact[]>
}

export interface LocalFacts extends CommonFacts {
  readonly apiUrl: string
}

/** Everything that the doctor inspects. */
export interface DoctorFacts extends CommonFacts {
  /** Account and region, for messages. */
  readonly place: Inspected<string>
  readonly stacks: Inspected<readonly StackFact[]>
  /** Logical ids of what a deployment would change, by stack. */
  readonly drift: Inspected<Readonly<Record<string, readonly string[]>>>
  /** Of the functions whose template is the deployed one. */
  readonly code: Inspected<readonly CodeFact[]>
  /** Whether the schedules can be read. What they are is known of each entity. */
  readonly schedules: Inspected<unknown>
  readonly encryption: Inspected<readonly EncryptionFact[]>
  /** The keys that the configuration allows. */
  readonly keys: ConfiguredKeys
  /** The functions' network and when they were last deployed; undefined without one or while they are not deployed. */
  readonly network: { readonly vpcId: string; readonly deployedAt: string } | undefined
}
