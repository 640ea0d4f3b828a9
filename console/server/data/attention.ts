import type { AttentionItem } from '../../../operator/attention/item.ts'
import type { AttentionRow } from '../../contract.ts'

export const attentionRow = ({ kind, entities, since, ...details }: AttentionItem): AttentionRow => ({
  kind,
  entities,
  since,
  details,
})
