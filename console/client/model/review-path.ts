import type { RefusedRow } from '../../contract/review.ts'
import { api, withQuery } from '../request.ts'

/** A run can be refused twice: its snapshot, then its change set. What is known of one review is not about the other. */
export const reviewPath = (entity: string, runId: string, guard: RefusedRow['guard']) =>
  withQuery(api`/entities/${entity}/runs/${runId}/review`, { guard })
