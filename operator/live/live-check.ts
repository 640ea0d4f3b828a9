import { failureOf } from '../errors.ts'

/** What is asked of AWS, and what the response has to be. */
export interface Question {
  readonly name: string
  readonly asked: string
  readonly expected: string
}

export type Verdict =
  | { readonly kind: 'as-expected' | 'different'; readonly response: string }
  /** Nothing was seen before the time was over, or the question could not be put. */
  | { readonly kind: 'not-seen'; readonly response: string }
  /** The deployment has nothing to ask about, or nobody was there to ask. */
  | { readonly kind: 'not-asked'; readonly response: string }

/** A check of `longshore doctor --live`. `not-supported`: an emulator of AWS responds, and differently. */
export interface LiveCheck extends Question {
  readonly outcome: Verdict['kind'] | 'not-supported'
  readonly response: string
}

export const verdictOn = (isExpected: boolean, response: string): Verdict => ({
  kind: isExpected ? 'as-expected' : 'different',
  response,
})
export const notSeen = (response: string): Verdict => ({ kind: 'not-seen', response })
export const notAsked = (response: string): Verdict => ({ kind: 'not-asked', response })

/** Whether AWS itself responds, and the account, which is left out of what is printed. */
export interface Place {
  readonly isAws: boolean
  readonly account: string
}

/** Puts a question. What AWS refuses or fails at is its response. */
export async function check(
  { isAws, account }: Place,
  question: Question,
  ask: () => Promise<Verdict>,
): Promise<LiveCheck> {
  const verdict = await ask().catch((error: unknown) => notSeen(failureOf(error).message))
  const withoutAccount = (text: string) => text.replaceAll(account, 'ACCOUNT')
  return {
    name: question.name,
    asked: withoutAccount(question.asked),
    expected: withoutAccount(question.expected),
    outcome: outcomeOf(verdict.kind, isAws),
    response: withoutAccount(verdict.response),
  }
}

function outcomeOf(kind: Verdict['kind'], isAws: boolean): LiveCheck['outcome'] {
  return isAws || kind === 'as-expected' || kind === 'not-asked' ? kind : 'not-supported'
}
