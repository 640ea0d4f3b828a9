import { type BodyForm, type BodyMember, readMembers } from './json-body.ts'

/** What a caller starts, and accepts for that run despite a guard. */
export interface StartOptions {
  readonly acceptShrink: boolean
  readonly acceptDeletes: boolean
  /** Asks for what changed, in place of a full sync. */
  readonly increment?: boolean
}

const flag: BodyMember = { is: (value) => typeof value === 'boolean', expected: 'true or false' }
const form: BodyForm = {
  members: {
    acceptShrink: flag,
    acceptDeletes: flag,
    increment: flag,
  } satisfies Record<keyof StartOptions, BodyMember>,
  advice: 'Send no body, or any of {"acceptShrink": true, "acceptDeletes": true, "increment": true}.',
}

/** The body of a start: none, or an object with any of the options. Throws `ProblemError`, which names each error. */
export function readStartBody(body: Buffer): StartOptions {
  const given = readMembers(body, form)
  const isSet = (name: keyof StartOptions) => given[name] === true
  return {
    acceptShrink: isSet('acceptShrink'),
    acceptDeletes: isSet('acceptDeletes'),
    ...(isSet('increment') && { increment: true }),
  }
}
