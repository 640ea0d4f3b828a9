import type { AttentionItem } from '../../../operator/attention/item.ts'
import type { AttentionRow } from '../../contract/overview.ts'

export const attentionRow = ({ kind, entities, since, ...details }: AttentionItem): AttentionRow => ({
  kind,
  entities,
  since,
  details,
})
