import { hash } from 'node:crypto'
import { Damaged } from '../../functions/publisher/check/damage.ts'
import { idOfLine } from '../../functions/publisher/check/identity.ts'
import type { SetManifest } from '../../functions/state/changes/changes.ts'
import { splitLines } from '../snapshot/lines.ts'

/** A record of a change set. Documents are as they are stored. */
export interface StoredRecord {
  readonly op: string
  /** As of an entry. */
  readonly idHash: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const forms = {
  c: /^\{"op":"c","id":(?<id>.*?),"after":(?<after>\{.*\})\}$/s,
  r: /^\{"op":"r","id":(?<id>.*?),"after":(?<after>\{.*\})\}$/s,
  d: /^\{"op":"d","id":(?<id>.*?),"before":(?<before>\{.*\})\}$/s,
  u: /^\{"op":"u","id":(?<id>.*?),"before":(?<before>\{.*)$/s,
}

const opsOf: Readonly<Record<SetManifest['kind'], readonly string[]>> = {
  reset: [],
  changes: ['c', 'u', 'd'],
  increment: ['r'],
}

/** The records of a part. Throws `Damaged` if one is not of a form that a set of this kind has. */
export function recordsOf(
  text: Buffer,
  { kind, idField }: Pick<SetManifest, 'kind' | 'idField'>,
): StoredRecord[] {
  return [...splitLines(text)].map((line, index) => {
    const record = recordOf(line.toString(), idField)
    if (!record || !opsOf[kind].includes(record.op))
      throw new Damaged(`has no valid record in line ${index + 1}`)
    return record
  })
}

function recordOf(line: string, idField: string): StoredRecord | undefined {
  const op = line.slice(7, 8)
  const { id, before, after } =
    (Object.hasOwn(forms, op) && forms[op as keyof typeof forms].exec(line)?.groups) || {}
  const documents = op === 'u' && before !== undefined ? pairOf(before) : { before, after }
  const ids = [documents?.before, documents?.after].flatMap((document) =>
    document === undefined ? [] : [{ id: idOfLine(document, idField), document }],
  )
  if (ids.length === 0 || ids.some((one) => (one.id ?? 'null') !== id)) return undefined
  const [first] = ids
  return {
    op,
    idHash: shortHash(first?.id ?? first?.document ?? ''),
    before: documents?.before,
    after: documents?.after,
  }
}

/** Two documents of one record. A document may have a member `after`, too, but only a whole one is JSON. */
function pairOf(text: string): { readonly before: string; readonly after: string } | undefined {
  const between = ',"after":'
  for (let at = text.indexOf(between); at >= 0; at = text.indexOf(between, at + 1)) {
    const pair = { before: text.slice(0, at), after: text.slice(at + between.length, -1) }
    if (isJson(pair.before)) return text.endsWith('}') && isJson(pair.after) ? pair : undefined
  }
  return undefined
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** The first 128 bits, as entries have them. */
export const shortHash = (content: string): string => hash('sha256', content, 'binary').slice(0, 16)
