import { Damaged } from '../damage.ts'
import { idOfLine, parseDocument } from '../identity.ts'

export const ops = ['c', 'u', 'd', 'r'] as const

export type ChangeRecord = ReturnType<typeof readRecord>
/** A document, as it is written in a record. */
export type RecordedDocument = NonNullable<ChangeRecord['after']>

const head = /^\{"op":"([cudr])","id":("[^"\\]*(?:\\.[^"\\]*)*"|[^\s",:[\]{}]+),"(before|after)":/

/** Reads a record, which has exactly the members of its op and documents with its id. Throws `Damaged`. */
export function readRecord(line: string, { ops: allowed, idField }: { ops: string; idField: string }) {
  const [start = '', op = '', written, member] = head.exec(line) ?? []
  if (op === '' || !allowed.includes(op) || !line.endsWith('}'))
    throw new Damaged(`begins with ${line.slice(0, 9)}, which is no record with one of the ops ${allowed}`)
  const first = op === 'c' || op === 'r' ? 'after' : 'before'
  if (member !== first) throw new Damaged(`has the op ${op} and the member ${member}`)
  const rest = line.slice(start.length, -1)
  const id = idOfLine(`{"id":${written}}`, 'id')
  const [one, other] = (op === 'u' ? splitUpdate(rest) : [rest]).map((text) => {
    const value = parseDocument(text)
    if (idOfLine(text, idField, value) !== id || (op === 'r' && id === undefined))
      throw new Damaged('has another id than its documents')
    return { text, value }
  })
  // Its bytes identify it. One that was withheld is back.
  if (id === undefined && other && other.text !== one?.text)
    throw new Damaged('updates a document without an id')
  const [before, after] = first === 'after' ? [undefined, one] : [one, other]
  return { op: op as (typeof ops)[number], id, before, after }
}

const between = '},"after":{'

/** A nested document can have these bytes, too; only where the first one ends, both are whole. */
function splitUpdate(rest: string): string[] {
  for (let at = rest.indexOf(between); at !== -1; at = rest.indexOf(between, at + 1)) {
    const before = rest.slice(0, at + 1)
    try {
      JSON.parse(before)
    } catch {
      continue
    }
    return [before, rest.slice(at + between.length - 1)]
  }
  throw new Damaged('does not have the members before and after')
}
