import type { CompareContext } from '../../../functions/compare/context.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { ChangesLatest, SetSummary } from '../../../functions/state/changes/changes.ts'
import type { TableClient } from '../../../functions/state/table/requests.ts'
import type { StepContext } from '../../../functions/worker/context.ts'
import type { Outcome } from '../functions/invocation.ts'
import type { ChainState } from '../oracle/chain-state.ts'
import type { Invariant } from '../oracle/invariants.ts'
import type { ApplyRecord, ReaderDocuments } from '../oracle/set-reader.ts'
import type { Scenario } from '../scenario.ts'
import type { Surroundings } from '../surroundings.ts'

/** A bug planted at a boundary of the functions, to show that the oracle finds it. */
export interface Plant {
  /** The invariant that finds it. */
  readonly breaks: Invariant
  /** The scenarios in which the bug can show. The search leaves the others out; all by default. */
  readonly showsIn?: (scenario: Scenario) => boolean
  /** Changes a scenario so that the bug can show. */
  readonly scenario?: (drawn: Scenario) => Scenario
  /** Changes the requests of the state table, or what the client receives. */
  readonly table?: (client: TableClient) => TableClient
  /** Changes a command before it reaches S3. */
  readonly command?: (command: { readonly input: object }) => { readonly input: object }
  /** Changes what a client receives from S3. */
  readonly received?: (command: { readonly input: object }, outcome: Outcome<object>) => Outcome<object>
  readonly world?: (world: StepContext, sim: Surroundings) => StepContext
  readonly compare?: (context: CompareContext, sim: Surroundings) => CompareContext
  /** The settings that a comparison goes by. */
  readonly entities?: (entities: readonly EntitySettings[], sim: Surroundings) => readonly EntitySettings[]
  /** How many bytes of the hashes of two ids are equal. */
  readonly equalIdHashBytes?: number
  /** A short write to a file is taken for a complete one. */
  readonly shortWritesUnnoticed?: true
  /** A bug in a program that reads change sets, or in what the API tells it. */
  readonly reader?: {
    readonly setsSince?: (chain: ChangesLatest, since: string) => readonly SetSummary[] | undefined
    readonly load?: (state: ChainState) => ReaderDocuments
    readonly apply?: ApplyRecord
  }
}
