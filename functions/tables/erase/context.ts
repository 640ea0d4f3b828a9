import type { ErasurePasses } from '../../state/erasure/passes.ts'
import type { ObjectVersionStore } from '../../state/object-versions.aws.ts'
import type { TableContext } from '../context.ts'

/** Everything outside the function that the daily task uses. */
export type TableEraseContext = Omit<TableContext, 'publishEvent'> & {
  readonly versions: ObjectVersionStore
  readonly passes: ErasurePasses
  /** The names of the configured entities. */
  readonly configured: readonly string[]
  readonly eraseWithinDays: number
}
