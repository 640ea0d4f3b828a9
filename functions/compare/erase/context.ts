import type { ObjectVersionStore } from '../../state/object-versions.aws.ts'
import type { CompareContext } from '../context.ts'

/** Everything outside the function that the daily task uses. */
export type EraseContext = Pick<CompareContext, 'snapshots' | 'changes' | 'log' | 'now' | 'checkTime'> & {
  readonly versions: ObjectVersionStore
  readonly eraseWithinDays: number
}
