import type { StartedJob } from '../state/run/job.ts'
import { type BodyForm, type BodyMember, readMembers } from './json-body.ts'

const flag: BodyMember = { is: (value) => typeof value === 'boolean', expected: 'true or false' }
const form: BodyForm = {
  members: { acceptShrink: flag, acceptDeletes: flag, increment: flag },
  advice: 'Send no body, or any of {"acceptShrink": true, "acceptDeletes": true, "increment": true}.',
}

/** The body of a start: none, or an object with any of the options. Throws `ProblemError`, which names each error. */
export function readStartBody(body: Buffer): StartedJob {
  const { increment = false, acceptShrink = false, acceptDeletes = false } = readMembers(body, form)
  return increment === true
    ? { kind: 'increment' }
    : { kind: 'full', acceptShrink: acceptShrink === true, acceptDeletes: acceptDeletes === true }
}
