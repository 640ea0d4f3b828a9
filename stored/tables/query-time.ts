import { dayMs } from '../../functions/runtime/durations.ts'

/**
 * How long files stay that a commit dropped: a query may read them for a day. A commit notes the time before it takes
 * effect, which is at most the time limit of an invocation later.
 */
export const maxQueryMs = dayMs + 15 * 60_000
