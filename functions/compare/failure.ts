import { constants } from 'node:os'
import type { LastingFailure } from '../../stored/changes/changes-latest.ts'
import { TaskFailed } from '../task/run.ts'

/**
 * Why a comparison fails. With damaged objects or too many changes, later comparisons from the same tip fail too, so
 * these reasons reset the chain in the end. Errors in our code never reset it.
 */
export type ComparisonFailureKind = LastingFailure | 'other'

/** A comparison that cannot succeed, for a reason that an operator can act on. The tip does not move. */
export class ComparisonFailed extends TaskFailed {
  override readonly name = 'ComparisonFailed'
  readonly kind: ComparisonFailureKind

  constructor(kind: ComparisonFailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

export const damaged = (message: string): ComparisonFailed => new ComparisonFailed('damaged', message)

/**
 * What to throw if a write to the temporary storage failed: no space is left, or the user's quota is used up. Any other
 * error is a bug or a fault of the disk, and stays as it is.
 */
export function explainFailedWrite(cause: unknown): unknown {
  const { errno } = cause as NodeJS.ErrnoException
  if (errno !== -constants.errno.ENOSPC && errno !== -constants.errno.EDQUOT) return cause
  return new ComparisonFailed(
    'too-large',
    'The temporary storage is full: too many large documents changed at once. Leave out fields with _fields, or set changes: false for the entity.',
    { cause },
  )
}
