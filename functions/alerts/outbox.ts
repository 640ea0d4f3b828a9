import { nameOfProblem } from '../problems/problem.ts'
import { type OpenProblem, problemEvents } from '../problems/problem-events.ts'
import { dayMs } from '../runtime/durations.ts'
import type { AlertSettings } from '../runtime/settings.ts'
import type { ProblemEvent } from '../state/events.ts'

/** A problem has opened, or was resolved. `time` is that of the look that found it, in ISO 8601. */
export interface Change {
  readonly event: 'opened' | 'resolved'
  readonly time: string
  readonly problem: OpenProblem
}

/** What one receiver knows, and what it must still be told. */
export interface Outbox {
  /** The open problems that it knows, or will know. Only their ends are reported. */
  readonly reported: readonly string[]
  /** The oldest first. */
  readonly pending: readonly Change[]
  /** Changes that did not fit: an item of DynamoDB has 400 KB. */
  readonly left: number
}

export const emptyOutbox: Outbox = { reported: [], pending: [], left: 0 }

const maxPendingBytes = 250_000

/** What two looks found: the last one, and the one at `time`. */
export interface Looks {
  readonly before: readonly OpenProblem[]
  readonly after: readonly OpenProblem[]
  readonly time: string
}

/**
 * Adds what a look has changed for a receiver: the same as the events, without notes if it wants none. A new receiver is
 * told every open problem. If nothing of a look was stored except this, the next one adds nothing twice.
 */
export function addChanges(
  outbox: Outbox,
  { before, after, time }: Looks,
  { notes }: Pick<AlertSettings, 'notes'>,
): Outbox {
  const known = new Set(outbox.reported)
  const isKnown = (problem: OpenProblem) => known.has(nameOfProblem(problem))
  const isWanted = ({ level }: OpenProblem) => notes || level === 'problem'
  const events = problemEvents(before, after)
  const found = (type: ProblemEvent['type']) =>
    events.flatMap((event) => (event.type === type ? [event.detail] : []))
  const opened = new Set(found('Problem Opened'))
  const changes: Change[] = [
    ...found('Problem Resolved')
      .filter(isKnown)
      .map((problem) => ({ event: 'resolved', time, problem }) as const),
    ...after
      .filter((problem) => isWanted(problem) && (opened.has(problem) || !isKnown(problem)))
      .map((problem) => ({ event: 'opened', time, problem }) as const),
  ]
  return {
    reported: after.filter((problem) => isWanted(problem) || isKnown(problem)).map(nameOfProblem),
    ...limited(changes.reduce(withChange, outbox.pending), outbox.left),
  }
}

/** A problem that opens again before its opening was delivered, such as a note that becomes one, has opened once. */
function withChange(pending: readonly Change[], change: Change): readonly Change[] {
  const last = pending.findLast(({ problem }) => nameOfProblem(problem) === nameOfProblem(change.problem))
  const isRepeated = last?.event === change.event
  return [...pending.filter((one) => !isRepeated || one !== last), change]
}

function limited(changes: readonly Change[], left: number): Pick<Outbox, 'pending' | 'left'> {
  let bytes = 0
  const pending = changes.filter((change) => {
    bytes += Buffer.byteLength(JSON.stringify(change))
    return bytes <= maxPendingBytes
  })
  return { pending, left: left + changes.length - pending.length }
}

/** Without what was not delivered for a day. */
export function withoutOld(outbox: Outbox, now: number): Outbox {
  const pending = outbox.pending.filter(({ time }) => Date.parse(time) > now - dayMs)
  return { ...outbox, pending, left: pending.length === 0 ? 0 : outbox.left }
}
