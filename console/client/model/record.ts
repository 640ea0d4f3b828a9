import type { DocumentRow, FieldChange, RecordRow, ValueText } from '../../contract/change-sets.ts'
import { formatCount, plural } from './format.ts'

export type RecordSide = 'before' | 'after'

export function changeSides({ before, after }: FieldChange) {
  const sides: { side: RecordSide; label: string; value: ValueText }[] = []
  if (before) sides.push({ side: 'before', label: 'Before', value: before })
  if (after) sides.push({ side: 'after', label: 'After', value: after })
  return sides
}

/** The text of a field; empty if there is none. */
export const fieldText = ({ fields }: Pick<DocumentRow, 'fields'>, name: string) =>
  fields.find((field) => field.name === name)?.value.text ?? ''

/** The text of one side of a change; empty if there is none. */
export const changeText = ({ changes }: Pick<RecordRow, 'changes'>, name: string, side: RecordSide) =>
  changes.find((change) => change.name === name)?.[side]?.text ?? ''

/** What an update changed; empty for other records. */
export function updateText({ kind, changes, unchanged }: Pick<RecordRow, 'kind' | 'changes' | 'unchanged'>) {
  if (kind !== 'updated') return ''
  return `${plural(changes.length, 'field')} changed, ${formatCount(unchanged)} unchanged`
}
