import type { AttentionRow } from '../../contract/overview.ts'

export const attentionTitle = ({ length }: readonly AttentionRow[]) =>
  length === 0 ? 'Nothing needs attention.' : `Needs attention: ${length}`
