import type { Rendering } from '../../../../local/stand-in/rendering.ts'
import { documentOfLine, identityOf } from '../../platform/documents.ts'
import { type ChainState, documentsOf } from './chain-state.ts'

/** The documents that a program keeps by their identities. It learns about changes from records only. */
export type ReaderDocuments = Map<number, number>

export interface ReadRecord {
  readonly op: 'c' | 'u' | 'd'
  readonly identity: number
  /** The document of the record: the later one of an update. */
  readonly index: number
}

/** The state that a reader loads: the snapshot, then the withheld documents. */
export const loadState = (state: ChainState): ReaderDocuments => new Map(documentsOf(state))

/** How a reader applies a record. */
export function upsert(documents: ReaderDocuments, { op, identity, index }: ReadRecord): void {
  if (op === 'd') documents.delete(identity)
  else documents.set(identity, index)
}

/** Reads the line (latin1) of a record; undefined if its document is not from the pool. */
export function readRecord(
  line: string,
  { idField, rendering }: { readonly idField: string; readonly rendering: Rendering },
): ReadRecord | undefined {
  const op = line.slice('{"op":"'.length)[0] as ReadRecord['op']
  const name = op === 'd' ? '"before":' : '"after":'
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
    const index = documentOfLine(line.slice(at + name.length, -1), rendering)
    if (index !== undefined) return { op, identity: identityOf(index, idField), index }
  }
  return undefined
}
