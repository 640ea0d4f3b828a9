import { failureOf } from '../errors.ts'

/** What is asked of AWS, and what the answer has to be. */
export interface Question {
  readonly name: string
  readonly asked: string
  readonly expected: string
}

export type Verdict =
  | { readonly kind: 'as-expected' | 'different'; readonly answered: string }
  /** Nothing was seen before the time was over, or the question could not be put. */
  | { readonly kind: 'not-seen'; readonly answered: string }
  /** The deployment has nothing to ask about, or nobody was there to answer. */
  | { readonly kind: 'not-asked'; readonly answered: string }

/** A check of `longshore doctor --live`. `not-supported`: what answers is an emulator of AWS, and it answers otherwise. */
export interface LiveCheck extends Question {
  readonly outcome: Verdict['kind'] | 'not-supported'
  readonly answered: string
}

export const answer = (isExpected: boolean, answered: string): Verdict => ({
  kind: isExpected ? 'as-expected' : 'different',
  answered,
})
export const notSeen = (answered: string): Verdict => ({ kind: 'not-seen', answered })
export const notAsked = (answered: string): Verdict => ({ kind: 'not-asked', answered })

/** Whether AWS answers, and the account, which is left out of what is printed. */
export interface Place {
  readonly isAws: boolean
  readonly account: string
}

/** Puts a question. What AWS refuses or fails at is its answer. */
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
    answered: withoutAccount(verdict.answered),
  }
}

function outcomeOf(kind: Verdict['kind'], isAws: boolean): LiveCheck['outcome'] {
  return isAws || kind === 'as-expected' || kind === 'not-asked' ? kind : 'not-supported'
}
