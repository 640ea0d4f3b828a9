import { isDeepStrictEqual } from 'node:util'
import { runIdOfExecution } from '../../functions/state/run/run.ts'
import type { GlueColumn } from '../../functions/tables/glue/table-input.ts'
import type { QueryEnd } from '../aws/athena.ts'
import type { DescribedExecution, StartedExecution } from '../aws/executions.aws.ts'
import type { CallResponse } from '../aws/signed-call.aws.ts'
import { notAsked, notSeen, type Verdict, verdictOn } from './live-check.ts'

const maxShown = 400

const shown = ({ status, body }: CallResponse) => `${status} ${body.slice(0, maxShown)}`.trim()

/** API Gateway refuses a call without a signature with 403, and one without a token with 401. */
export const unsignedVerdict = (auth: 'iam' | 'jwt', response: CallResponse): Verdict =>
  verdictOn(response.status === (auth === 'iam' ? 403 : 401), shown(response))

/** Whether our function has responded: about an entity, or that there is no such run. */
export const signedVerdict = (expected: 200 | 404, entity: string, response: CallResponse): Verdict =>
  verdictOn(response.status === expected && isOurs(response, entity), shown(response))

function isOurs({ status, body }: CallResponse, entity: string): boolean {
  const members = objectIn(body)
  return status === 200 ? members['entity'] === entity : members['type'] !== undefined
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Whether Glue returns the columns of a table as they were sent. */
export function columnsVerdict(
  sent: readonly GlueColumn[],
  returned: readonly GlueColumn[] | undefined,
): Verdict {
  if (!returned) return verdictOn(false, 'There is no such table in Glue.')
  if (isDeepStrictEqual(sent, returned)) return verdictOn(true, `the same ${sent.length} columns`)
  const differs = returned.filter((column, index) => !isDeepStrictEqual(column, sent[index]))
  return verdictOn(
    false,
    `${returned.length} columns; other than sent: ${JSON.stringify(differs).slice(0, maxShown)}`,
  )
}

/** Whether a query counted what it should have. */
export function countVerdict(expected: number, end: QueryEnd): Verdict {
  if (end.state === 'stopped') return notSeen('The query had not ended when the time was over.')
  if (end.state === 'failed') return verdictOn(false, `The query failed: ${end.reason}`)
  return verdictOn(end.row[0] === String(expected), end.row.join(', '))
}

/** Whether CloudWatch called what the alarm notifies. */
export function alarmVerdict(history: readonly string[]): Verdict {
  const text = history.join('; ')
  const isSent = history.some((line) => /^Action: Successfully executed action/i.test(line))
  return isSent ? verdictOn(true, text) : notSeen(text || 'The history of the alarm is empty.')
}

/** What a person said; undefined if nobody was asked. */
export function mailVerdict(alarmEmail: string | undefined, hasArrived: boolean | undefined): Verdict {
  if (alarmEmail === undefined) return notAsked('The configuration has no alarmEmail.')
  if (hasArrived === undefined) return notAsked('Only a person can see it. Look into the mailbox.')
  return verdictOn(hasArrived, hasArrived ? 'It has arrived.' : 'It has not arrived.')
}

interface FoundLines {
  readonly lines: number
  readonly key: string | undefined
  readonly wantedKey: string | undefined
}

/** Whether the log group of the worker has lines of a run, and the configured key. */
export function logVerdict({ lines, key, wantedKey }: FoundLines): Verdict {
  const text = `${lines} lines of the run; the group's key: ${key ?? "CloudWatch's own"}`
  if (key !== wantedKey) return verdictOn(false, text)
  return lines > 0 ? verdictOn(true, text) : notSeen(text)
}

export const metricVerdict = (values: number): Verdict => {
  const text = `${values} values`
  return values > 0 ? verdictOn(true, text) : notSeen(text)
}

/** Whether an execution has the input that its schedule sends. */
export const firedVerdict = (input: string, { id, input: received }: DescribedExecution): Verdict =>
  verdictOn(
    isDeepStrictEqual(objectIn(input), objectIn(received)),
    `The execution ${id} has the input ${received}.`,
  )

/**
 * Whether the run that events name follows from the execution as Step Functions describes it. The worker may see another
 * start time in the last millisecond.
 */
export function identityVerdict(execution: StartedExecution, runId: string): Verdict {
  const own = runIdOfExecution(execution)
  const hashOf = (id: string) => id.slice(id.indexOf('-'))
  const startedAt = new Date(execution.startedAt).toISOString()
  return verdictOn(
    hashOf(own) === hashOf(runId),
    `The execution ${execution.id}, started ${startedAt}, is the run ${own}.`,
  )
}
