import type { FailureCause } from '../../state/run/run.ts'
import type { Intermediary } from '../../upstream/intermediary.ts'
import { hasStatus } from '../../upstream/retry.ts'
import type { BodyKind } from './body-kind.ts'
import { type Decision, type Outcome, type OutcomeName, outcomes } from './outcomes.ts'

/** Which request of a scroll: the one that opens it, or one that continues it. */
export type RequestKind = 'first' | 'later'

export interface ResponseFeatures {
  readonly status: number
  readonly body: BodyKind
  readonly text: string
  /** Who sent the response instead of the platform. */
  readonly by: Intermediary | undefined
}

/** The row of a response. */
export function outcomeOfResponse({ status, body, text, by }: ResponseFeatures): OutcomeName {
  const matches = ({ statuses = [], body: only = body, text: pattern = /^/, by: sender }: Outcome) =>
    sender === by && only === body && pattern.test(text) && hasStatus(statuses, status)
  const found = Object.entries(outcomes).find(([, outcome]) => matches(outcome))
  if (!found) throw new Error(`No outcome matches a response with status ${status}.`)
  return found[0] as OutcomeName
}

export function decisionOf(name: OutcomeName, request: RequestKind): Decision {
  const outcome: Outcome = outcomes[name]
  const decision = outcome.any ?? outcome[request]
  if (!decision) throw new Error(`'${name}' is not an outcome of a ${request} request.`)
  return decision
}

/** What a run failed for that ends with this outcome, where more follows from it. */
export function causeOf(name: OutcomeName): FailureCause | undefined {
  const { cause }: Outcome = outcomes[name]
  return cause
}

/** The message of a row, with its placeholders filled in. */
export function messageOf(name: OutcomeName, values: Readonly<Record<string, string>> = {}): string {
  const { message = '' }: Outcome = outcomes[name]
  return message.replaceAll(/\{(\w+)\}/g, (_, placeholder: string) => values[placeholder] ?? '')
}
