import { ProblemError } from '../../http/problem.ts'
import { runIdPattern } from '../../state/run/run.ts'

/** Where a response begins within the objects of one run. It names the run, so that responses never mix two runs. */
export interface Cursor {
  readonly runId: string
  readonly offset: number
}

/** A response has at most this many links. */
export const maxLinks = 1_000

export const formatCursor = ({ runId, offset }: Cursor) => `${runId}.${offset}`

/** Reads the query parameter `cursor`. Throws `ProblemError`. */
export function parseCursor(text: string): Cursor {
  const [, runId = '', offset] = /^(.*)\.(\d{1,7})$/.exec(text) ?? []
  if (runIdPattern.test(runId)) return { runId, offset: Number(offset) }
  const detail = 'The cursor is malformed. Use the URL in next unchanged.'
  throw new ProblemError('invalid-request', detail, { parameter: 'cursor' })
}
