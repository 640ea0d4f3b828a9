import { formatCount, formatDocuments } from '../../functions/runtime/format-count.ts'
import type { Manifest } from './manifest.ts'

/** Documents of the published snapshot that have no id. */
export interface WithoutId {
  readonly documents: number
  readonly idField: string
  /** When a snapshot with such documents was published after one without, in ISO 8601. */
  readonly since: string
}

type Counted = Pick<Manifest, 'documents' | 'withoutId'>

/** Whether a snapshot has documents, of which none has an id. */
export const lacksEveryId = ({ documents, withoutId }: Counted): boolean =>
  documents > 0 && withoutId === documents

/** How many documents of a snapshot have no id, and what follows for change sets. */
export const withoutIdText = (snapshot: Counted & Pick<Manifest, 'idField'>): string =>
  `${noIdText(snapshot)}. Each change of such a document counts as a delete and a create.`

export function noIdText({ idField, ...counted }: Counted & Pick<Manifest, 'idField'>): string {
  const { documents, withoutId = 0 } = counted
  const all = formatDocuments(documents)
  const who = lacksEveryId(counted) ? `none of ${all} has` : `${formatCount(withoutId)} of ${all} do not have`
  return `${who} the field ${idField} as text, number or boolean`
}

/** Undefined if every document has an id. */
export const withoutIdOf = ({ withoutId = 0, idField }: Pick<Manifest, 'withoutId' | 'idField'>) =>
  withoutId > 0 ? { documents: withoutId, idField } : undefined
