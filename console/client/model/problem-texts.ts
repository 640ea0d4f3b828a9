import type { ProblemRow } from '../../contract/overview.ts'
import { plural } from './format.ts'
import type { Tone } from './tones.ts'

export function problemsTitle(rows: readonly ProblemRow[]): string {
  const count = rows.filter(({ level }) => level === 'problem').length
  return count === 0 ? 'Nothing needs attention.' : `Needs attention: ${plural(count, 'problem')}`
}

export const problemTone = ({ level }: ProblemRow): Tone => (level === 'note' ? 'warning' : 'problem')
