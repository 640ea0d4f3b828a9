import type { Cursor } from '../../../stored/pages/page.ts'

/** 20 minutes from the last response (interface section 8), less half a minute for the request's own time. */
const tokenLifeMs = 20 * 60_000 - 30_000

/** When the cursor's token expires, in epoch milliseconds. Before the first response there is none. */
export const tokenExpiresAt = ({ token, respondedAt }: Cursor): number =>
  token === undefined ? Number.POSITIVE_INFINITY : respondedAt + tokenLifeMs
