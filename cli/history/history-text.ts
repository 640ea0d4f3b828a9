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
