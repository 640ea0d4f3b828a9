import type { AttentionRow } from '../../contract/overview.ts'
import type { Tone } from './tones.ts'

export const attentionTitle = ({ length }: readonly AttentionRow[]) =>
  length === 0 ? 'Nothing needs attention.' : `Needs attention: ${length}`

/** Readers of a snapshot whose fields changed may still work. */
export const attentionTone = ({ kind }: AttentionRow): Tone =>
  kind === 'schema-changed' ? 'warning' : 'problem'
