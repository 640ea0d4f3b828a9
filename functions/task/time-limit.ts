import type { Context } from 'aws-lambda'
import { endMarginMs } from '../runtime/client-limits.ts'

/** A check that throws `tooLarge` when too little of the invocation's time is left to continue. */
export const timeLimit =
  (lambda: Pick<Context, 'getRemainingTimeInMillis'>, tooLarge: () => Error) => (): void => {
    if (lambda.getRemainingTimeInMillis() <= endMarginMs) throw tooLarge()
  }
