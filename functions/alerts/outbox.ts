import type { ProblemEvent } from '../../stored/events.ts'
import { nameOfProblem } from '../problems/problem.ts'
import { type OpenProblem, problemEvents } from '../problems/problem-events.ts'
import { dayMs } from '../runtime/durations.ts'
import type { AlertSettings } from '../runtime/settings.ts'

/** A problem has opened, or was resolved. `time` is that of the look that found it, in ISO 8601. */
export interface OutboxChange {
  readonly event: 'opened' | 'resolved'
  readonly time: string
  readonly problem: OpenProblem
}

/** What one receiver knows, and what it must still be told. */
export interface Outbox {
  /** The open problems that it knows, or will know. Only their ends are reported. */
  readonly reported: readonly string[]
  /** The oldest first. */
  readonly pending: readonly OutboxChange[]
  /** Changes that did not fit: an item of DynamoDB has 400 KB. */
  readonly left: number
  /** Open problems of which it has only the number, because it refused a message with their text. */
  readonly refused: readonly string[]
  /** Null if everything was delivered. */
  readonly failure: Failure | null
}

/** Why messages are not delivered. */
interface Failure {
  /** Of the first attempt that failed, in ISO 8601. */
  readonly since: string
  /** Of the last one. */
  readonly reason: string
  readonly attempts: number
  /** Zero: this look sends it. */
  readonly looksUntilRetry: number
}

export const emptyOutbox: Outbox = { reported: [], pending: [], left: 0, refused: [], failure: null }

const maxPendingBytes = 250_000
/** An hour. */
const maxLooksUntilRetry = 12

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
  // A receiver that accepts no messages is not told that it does not.
  const isWanted = ({ level, kind }: OpenProblem) =>
    (notes || level === 'problem') && !(kind === 'alert-failed' && outbox.failure)
  const events = problemEvents(before, after)
  const found = (type: ProblemEvent['type']) =>
    events.flatMap((event) => (event.type === type ? [event.detail] : []))
  const opened = new Set(found('Problem Opened'))
  const openedAt = (problem: OpenProblem) => ({ event: 'opened', time, problem }) as const
  const changes: OutboxChange[] = [
    ...found('Problem Resolved')
      .filter(isKnown)
      .map((problem) => ({ event: 'resolved', time, problem }) as const),
    ...after
      .filter((problem) => isWanted(problem) && (opened.has(problem) || !isKnown(problem)))
      .map(openedAt),
  ]
  const open = after.filter((problem) => isWanted(problem) || isKnown(problem))
  const reported = open.map(nameOfProblem)
  const refused = outbox.refused.filter((name) => reported.includes(name))
  const pending = changes.reduce(withChange, outbox.pending)
  const looks = changes.length > 0 ? 0 : Math.max(0, (outbox.failure?.looksUntilRetry ?? 0) - 1)
  // New changes do not wait for those that were refused.
  const again =
    pending.length > 0 || looks > 0 ? [] : open.filter((one) => refused.includes(nameOfProblem(one)))
  const isEmpty = pending.length === 0 && refused.length === 0
  return {
    reported,
    ...limited([...pending, ...again.map(openedAt)], outbox.left),
    refused,
    failure: outbox.failure && !isEmpty ? { ...outbox.failure, looksUntilRetry: looks } : null,
  }
}

/** A problem that opens again before its opening was delivered, such as a note that becomes one, has opened once. */
function withChange(pending: readonly OutboxChange[], change: OutboxChange): readonly OutboxChange[] {
  const last = pending.findLast(({ problem }) => nameOfProblem(problem) === nameOfProblem(change.problem))
  const isRepeated = last?.event === change.event
  return [...pending.filter((one) => !isRepeated || one !== last), change]
}

function limited(changes: readonly OutboxChange[], left: number): Pick<Outbox, 'pending' | 'left'> {
  let bytes = 0
  const pending = changes.filter((change) => {
    bytes += Buffer.byteLength(JSON.stringify(change))
    return bytes <= maxPendingBytes
  })
  return { pending, left: left + changes.length - pending.length }
}

/** Without what was not delivered for a day, except the beginnings of problems that are still open. */
export function withoutOld(outbox: Outbox, now: number): Outbox {
  const isOpen = ({ event, problem }: OutboxChange) =>
    event === 'opened' && outbox.reported.includes(nameOfProblem(problem))
  const pending = outbox.pending.filter((one) => isOpen(one) || Date.parse(one.time) > now - dayMs)
  const isAllOld = pending.length === 0 && outbox.pending.length > 0
  return { ...outbox, pending, left: isAllOld ? 0 : outbox.left }
}

/** After the message was accepted. If another one was refused, the next look sends that again. */
export function afterDelivery(outbox: Outbox): Outbox {
  const told = new Set(outbox.pending.map(({ problem }) => nameOfProblem(problem)))
  const refused = outbox.refused.filter((name) => !told.has(name))
  const failure = refused.length > 0 && outbox.failure ? { ...outbox.failure, looksUntilRetry: 1 } : null
  return { ...outbox, pending: [], left: 0, refused, failure }
}

/** After an attempt failed at `now`. */
export function notDelivered(outbox: Outbox, reason: string, now: number): Outbox {
  const attempts = (outbox.failure?.attempts ?? 0) + 1
  const looksUntilRetry = Math.min(2 ** (attempts - 1), maxLooksUntilRetry)
  const since = outbox.failure?.since ?? new Date(now).toISOString()
  return { ...outbox, failure: { since, reason, attempts, looksUntilRetry } }
}

/** After the message was refused, and the number of its problems accepted. */
export function toldInNumbers(outbox: Outbox): Outbox {
  const names = outbox.pending.map(({ problem }) => nameOfProblem(problem))
  const refused = new Set([...outbox.refused, ...names.filter((name) => outbox.reported.includes(name))])
  return { ...outbox, pending: [], left: 0, refused: [...refused] }
}

/** Whether the receiver has the number of everything that it must be told. */
export const hasNumbers = ({ pending, refused }: Outbox): boolean =>
  pending.every(({ event, problem }) => event === 'opened' && refused.includes(nameOfProblem(problem)))
