import type { SetManifest } from '../../functions/state/changes/changes.ts'
import { CommandError } from '../errors.ts'

const kinds: ReadonlySet<string> = new Set<SetManifest['kind']>(['reset', 'changes', 'increment'])

/** What a record does to the state, by the JSON text of its `op`. `r` is a row that an increment read. */
const effects: Readonly<Record<string, 'upsert' | 'delete'>> = {
  '"c"': 'upsert',
  '"u"': 'upsert',
  '"r"': 'upsert',
  '"d"': 'delete',
}

/** Throws `CommandError` for a set that a newer release wrote: reading it as if it were known could lose changes. */
export function requireKnownKind({ kind, entity, runId }: SetManifest): void {
  if (!kinds.has(kind))
    throw unknownForm(`The change set of run ${runId} of ${entity} is of the kind ${kind}`)
}

/** Throws `CommandError` for an operation that a newer release wrote. */
export function effectOf(op: string | undefined): 'upsert' | 'delete' {
  const effect = effects[op ?? '']
  if (effect) return effect
  throw unknownOperation(op)
}

export const unknownOperation = (op: string | undefined) =>
  unknownForm(`A change set has a record with the operation ${op ?? 'undefined'}`)

const unknownForm = (what: string) =>
  new CommandError(`${what}, which this release of Longshore does not know.`, {
    fix: 'use the release that is deployed, or a newer one',
  })
