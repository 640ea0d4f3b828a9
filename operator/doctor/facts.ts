import type { Area } from '../../functions/platform/areas.ts'
import type { StoppedChain } from '../../functions/problems/chain-state.ts'
import type { TableProblem } from '../../functions/problems/table-state.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { IncrementAudit } from '../../functions/state/changes/changes.ts'
import type { StoredChanges } from '../../functions/state/tables/schema-changes.ts'
import type { IncrementsView } from '../../functions/sync-api/increments-view.ts'
import type { CredentialsErrorKind } from '../../functions/upstream/errors.ts'
import type { CredentialCheck } from '../credentials/check.ts'
import type { OrphanedData } from '../purge/stored-entities.ts'
import type { ScheduleFact } from '../schedules/deployed.ts'
import type { openSyncs } from '../sync/syncs.ts'
import type { ChangeDates } from './change-dates.ts'

/** The increments of an entity, and what its last full set counted that they had missed. */
export interface IncrementFact {
  readonly entity: string
  readonly increments: IncrementsView
  /** When the published snapshot was published, in ISO 8601; undefined without one. */
  readonly publishedAt: string | undefined
  readonly audit: IncrementAudit
  /** Of the published snapshot; undefined without one or if it is empty. */
  readonly dates: ChangeDates | undefined
  /** The run of the chain's snapshot, which readers begin with, if that snapshot is gone. */
  readonly lostSnapshot: string | undefined
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

export interface CredentialsFact {
  readonly areas: readonly Area[]
  /** `not-read`: the operator may not read the secret, and its versions do not show that it is not set. */
  readonly state: 'set' | 'not-read' | CredentialsErrorKind
  readonly detail: string
  readonly checks: readonly CredentialCheck[]
}

export type EntityFact = Awaited<ReturnType<ReturnType<typeof openSyncs>['list']>>['entities'][number]

/** An entity whose change sets do not lead to its published snapshot. */
export interface StoppedFact {
  readonly entity: string
  readonly chain: StoppedChain
}

/** An entity whose table does not match its published snapshot for all readers. */
export interface TableFact {
  readonly entity: string
  readonly table: TableProblem
}

/** What can be inspected of every deployment, a running `npm start` included, which has no stacks and no schedules. */
export interface CommonFacts {
  readonly now: number
  readonly baseUrl: string
  readonly upstream: Inspected<{ status: number } | { failure: string }>
  /** Of each secret. */
  readonly credentials: readonly Inspected<CredentialsFact>[]
  readonly entities: Inspected<readonly EntityFact[]>
  readonly stopped: Inspected<readonly StoppedFact[]>
  readonly tables: Inspected<readonly TableFact[]>
  /** Of the published snapshots whose fields differ from those before. */
  readonly schemaChanges: Inspected<readonly StoredChanges[]>
  /** Of the entities with increments. */
  readonly increments: Inspected<readonly IncrementFact[]>
  readonly orphans: Inspected<readonly OrphanedData[]>
}

export interface LocalFacts extends CommonFacts {
  readonly apiUrl: string
}

/** Everything that the doctor inspects. */
export interface Facts extends CommonFacts {
  /** Account and region, for messages. */
  readonly place: Inspected<string>
  readonly configured: readonly EntitySettings[]
  readonly stacks: Inspected<readonly StackFact[]>
  /** Logical ids of what a deployment would change, by stack. */
  readonly drift: Inspected<Readonly<Record<string, readonly string[]>>>
  readonly schedules: Inspected<readonly ScheduleFact[]>
  /** The functions' network and when they were last deployed; undefined without one or while they are not deployed. */
  readonly network: { readonly vpcId: string; readonly deployedAt: string } | undefined
}
