import { type AcceptedGuard, acceptedGuard, type Guard, guards } from '../state/run/run.ts'
import { readMembers, refuse } from './json-body.ts'

const isGuard = (value: unknown): value is Guard => (guards as readonly unknown[]).includes(value)

const advice =
  'Send {"guard": "snapshot"}, {"guard": "snapshot", "withChanges": true} or {"guard": "changes"}.'

/** What a caller accepts. Throws `ProblemError`, which names each error. */
export function readAcceptBody(body: Buffer): AcceptedGuard {
  const given = readMembers(body, {
    members: {
      guard: { is: isGuard, expected: guards.join(' or '), isRequired: true },
      withChanges: { is: (value) => typeof value === 'boolean', expected: 'true or false' },
    },
    advice,
  })
  const { guard, withChanges } = given as { guard: Guard; withChanges?: boolean }
  if (guard === 'snapshot' || !withChanges) return acceptedGuard(guard, withChanges)
  return refuse([{ pointer: '/withChanges', expected: 'absent with the guard changes' }], advice)
}
