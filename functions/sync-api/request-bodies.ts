import type { StartedJob } from '../../stored/run/job.ts'
import { type AcceptedGuard, acceptedGuard, type Guard, guards } from '../../stored/run/run.ts'
import { type BodyForm, type BodyMember, readMembers, refuse } from './json-body.ts'

const flag: BodyMember = { is: (value) => typeof value === 'boolean', expected: 'true or false' }
const startForm: BodyForm = {
  members: { acceptShrink: flag, acceptDeletes: flag, increment: flag },
  advice: 'Send no body, or any of {"acceptShrink": true, "acceptDeletes": true, "increment": true}.',
}

/** The body of a start: none, or an object with any of the options. Throws `ProblemError`, which names each error. */
export function readStartBody(body: Buffer): StartedJob {
  const { increment = false, acceptShrink = false, acceptDeletes = false } = readMembers(body, startForm)
  return increment === true
    ? { kind: 'increment' }
    : { kind: 'full', acceptShrink: acceptShrink === true, acceptDeletes: acceptDeletes === true }
}

const isGuard = (value: unknown): value is Guard => (guards as readonly unknown[]).includes(value)

const acceptForm: BodyForm = {
  members: { guard: { is: isGuard, expected: guards.join(' or '), isRequired: true }, withChanges: flag },
  advice: 'Send {"guard": "snapshot"}, {"guard": "snapshot", "withChanges": true} or {"guard": "changes"}.',
}

/** What a caller accepts. Throws `ProblemError`, which names each error. */
export function readAcceptBody(body: Buffer): AcceptedGuard {
  const given = readMembers(body, acceptForm)
  const { guard, withChanges } = given as { guard: Guard; withChanges?: boolean }
  if (guard === 'snapshot' || !withChanges) return acceptedGuard(guard, { withChanges })
  return refuse([{ pointer: '/withChanges', expected: 'absent with the guard changes' }], acceptForm.advice)
}
