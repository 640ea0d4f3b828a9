import type { AlertFact } from './facts.ts'
import { type Checked, note, ok, problem } from './finding.ts'

/** Whether messages can be sent, as far as the secret shows it. No message is sent. */
export function alertChecks({ name, state, detail }: AlertFact): Checked[] {
  switch (state) {
    case 'set':
      return [ok('alerts', `The secret of ${name} contains an address.`)]
    case 'not-read':
      return [
        note('alerts', `The secret of ${name} was not checked, because you have no permission to read it.`),
      ]
    case 'missing':
      return [
        problem('alerts', {
          evidence: `The secret of ${name} does not exist in this region, so nothing is reported there.`,
          action: 'Create it with the address of the receiver, or correct its name in the configuration.',
        }),
      ]
    case 'malformed':
      return [
        problem('alerts', {
          evidence: `The secret of ${name} cannot be used, so nothing is reported there: ${detail}`,
          action: 'Store the address of the receiver in it.',
        }),
      ]
  }
}
