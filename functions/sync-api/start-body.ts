import { type BodyForm, type BodyMember, readMembers } from './json-body.ts'

/** What a caller accepts for one run despite a guard. */
export interface StartOptions {
  readonly acceptShrink: boolean
  readonly acceptDeletes: boolean
}

const flag: BodyMember = { is: (value) => typeof value === 'boolean', expected: 'true or false' }
const form: BodyForm = {
  members: { acceptShrink: flag, acceptDeletes: flag } satisfies Record<keyof StartOptions, BodyMember>,
  advice: 'Send no body, or any of {"acceptShrink": true, "acceptDeletes": true}.',
}

/** The body of a start: none, or an object with any of the options. Throws `ProblemError`, which names each error. */
export function readStartBody(body: Buffer): StartOptions {
  const given = readMembers(body, form)
  return { acceptShrink: given['acceptShrink'] === true, acceptDeletes: given['acceptDeletes'] === true }
}
