import type { SetManifest } from '../../stored/changes/changes.ts'
import { CommandError } from '../errors.ts'

const kinds: ReadonlySet<string> = new Set<SetManifest['kind']>(['reset', 'changes', 'increment'])

/** `delivered`: an increment read it, and does not know what was before. */
export type RecordKind = 'created' | 'updated' | 'deleted' | 'delivered'

/** By the JSON text of `op`. */
const recordKinds: Readonly<Record<string, RecordKind>> = {
  '"c"': 'created',
  '"u"': 'updated',
  '"d"': 'deleted',
  '"r"': 'delivered',
}

/** Throws `CommandError` for a set that a newer release wrote: reading it as if it were known could lose changes. */
export function requireKnownKind({ kind, entity, runId }: SetManifest): void {
  if (!kinds.has(kind))
    throw unknownForm(`The change set of run ${runId} of ${entity} is of the kind ${kind}`)
}

/** Throws `CommandError` for an operation that a newer release wrote. */
export function recordKindOf(op: string | undefined): RecordKind {
  const kind = recordKinds[op ?? '']
  if (kind) return kind
  throw unknownForm(`A change set has a record with the operation ${op ?? 'undefined'}`)
}

const unknownForm = (what: string) =>
  new CommandError(`${what}, which this release of Longshore does not know.`, {
    fix: 'use the release that is deployed, or a newer one',
  })
