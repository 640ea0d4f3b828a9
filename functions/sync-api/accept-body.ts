import { type Guard, guards } from '../state/run/run.ts'
import { readMembers } from './json-body.ts'

const isGuard = (value: unknown): value is Guard => (guards as readonly unknown[]).includes(value)

/** The guard whose refusal is accepted. Throws `ProblemError`, which names each error. */
export function readAcceptBody(body: Buffer): Guard {
  const { guard } = readMembers(body, {
    members: { guard: { is: isGuard, expected: guards.join(' or '), isRequired: true } },
    advice: 'Send {"guard": "snapshot"} or {"guard": "changes"}.',
  })
  return guard as Guard
}
