import { escapeLine } from '../../functions/runtime/hidden-characters.ts'
import type { ChangedField } from '../../operator/history/record.ts'
import type { DocumentVersion } from '../../operator/history/versions.ts'
import { formatTable } from '../shell/text-table.ts'

/** A row for each version, newest first, with the changed fields below it. */
export function historyText(versions: readonly DocumentVersion[], columns?: number): string {
  const rows = versions.map(({ asOf, kind, source, runId }) => [timeText(asOf), kind, source, runId])
  const table = [['AS OF (UTC)', 'CHANGE', 'SOURCE', 'RUN'], ...rows]
  const [heading, ...lines] = formatTable(table, { columns, optional: ['SOURCE', 'RUN'] }).split('\n')
  const blocks = lines.flatMap((line, index) => [
    line,
    ...(versions[index]?.changes ?? []).map((change) => `  ${changeText(change)}`),
  ])
  return [heading, ...blocks].join('\n')
}

/** A document that was found by a value, and its versions. */
export interface FoundHistory {
  readonly id: string
  readonly versions: readonly DocumentVersion[]
}

/** The versions of each document below its id. */
export function historiesText(
  documents: readonly FoundHistory[],
  { isComplete, columns }: { readonly isComplete: boolean; readonly columns: number | undefined },
): string {
  const blocks = documents.map(({ id, versions }) => `${escapeLine(id)}\n${historyText(versions, columns)}`)
  const rest = isComplete ? [] : [`There are more. These are the first ${documents.length} documents.`]
  return [...blocks, ...rest].join('\n\n')
}

/** `2026-11-17 14:00:05` */
const timeText = (iso: string) => iso.slice(0, 19).replace('T', ' ')

/** `email: "a" → "b"`; an added or removed field has one side. */
function changeText({ name, before, after }: ChangedField): string {
  const sides = [before, after].map((text) => (text === null ? '(none)' : shortened(text)))
  return `${escapeLine(name)}: ${sides.join(' → ')}`
}

const maxCharacters = 80

const shortened = (text: string) =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text
