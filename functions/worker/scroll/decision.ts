import type { EndEvidence } from '../../../stored/pages/page.ts'
import type { FailureCause } from '../../../stored/run/run.ts'
import type { ResponseClass } from '../../upstream/intermediary.ts'
import { hasStatus } from '../../upstream/retry.ts'
import type { BodyKind } from './body-kind.ts'
import { type Decision, type OutcomeName, outcomes, type RequestOutcome } from './outcomes.ts'

/** Which request of a scroll: the one that opens it, or one that continues it. */
export type RequestKind = 'first' | 'later'

export interface ResponseFeatures {
  readonly status: number
  readonly body: BodyKind
  readonly text: string
  readonly by: ResponseClass | undefined
  /** What `Retry-After` asks for; undefined without one. */
  readonly retryAfterMs: number | undefined
}

export function outcomeOfResponse(response: ResponseFeatures): OutcomeName {
  const { status, body, text, by, retryAfterMs } = response
  const matches = ({ statuses = [], body: only = body, text: pattern = /^/, ...row }: RequestOutcome) =>
    row.by === by &&
    only === body &&
    pattern.test(text) &&
    (!row.hasRetryAfter || retryAfterMs !== undefined) &&
    hasStatus(statuses, status)
  const found = Object.entries(outcomes).find(([, outcome]) => matches(outcome))
  if (!found) throw new Error(`No outcome matches a response with status ${status}.`)
  return found[0] as OutcomeName
}

export function decisionOf(name: OutcomeName, request: RequestKind): Decision {
  const decision = rows[name].any ?? rows[name][request]
  if (!decision) throw new Error(`'${name}' is not an outcome of a ${request} request.`)
  return decision
}

const rows: Readonly<Record<OutcomeName, RequestOutcome>> = outcomes

/** What the outcome shows of a scroll that has reached the reported total; undefined if nothing. */
export const evidenceAtTotal = (name: OutcomeName): EndEvidence | undefined => rows[name].endsAtTotal

/** What a run failed for that ends with this outcome of a request, where more follows from it. */
export function causeOf(name: OutcomeName, request: RequestKind): FailureCause | undefined {
  const { cause, firstCause } = rows[name]
  return cause ?? (request === 'first' ? firstCause : undefined)
}

const ofResponse = 'the platform responded with {response}'
/** The message of a row, with its placeholders filled in. */
export const messageOf = (name: OutcomeName, values: Readonly<Record<string, string>> = {}): string =>
  (rows[name].message ?? ofResponse).replaceAll(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
