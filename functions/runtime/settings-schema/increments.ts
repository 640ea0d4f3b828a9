import * as v from 'valibot'
import { findScheduleError } from './schedule.ts'
import { primitive, strictObject, wholeNumber } from './schema-parts.ts'

/** When an entity is asked for what changed. No schedule runs more often than once a minute. */
export const incrementsSchema = strictObject({
  /** `rate(…)` or `cron(…)` of EventBridge Scheduler. */
  schedule: primitive<string>('string', "rate(…) or cron(…), such as 'rate(5 minutes)'", findScheduleError),
  /** How long before the end of the previous window a window begins, because the platform's index lags. */
  lookbackMinutes: v.optional(wholeNumber(5, 1440), 60),
})

/** The fields with the times at which a document changed. */
export const incrementFields = ['createdIn', 'updatedIn'] as const
