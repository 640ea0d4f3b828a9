import { formatAge } from '../../functions/runtime/format.ts'
import type { AttentionItem } from '../../operator/attention/item.ts'
import { bold, dim, green, red } from '../../operator/text/colors.ts'

/** What waits for a person, or that nothing does. */
export function attentionText(items: readonly AttentionItem[], now: number): string {
  if (items.length === 0) return `${green('✓')} Nothing needs attention.`
  const lines = items.flatMap(({ since, evidence, action, command }) => {
    const age = since === null ? '' : `Since ${since} (${formatAge(since, now)}). `
    return [`${red('✗')} ${evidence}`, dim(`  ${age}${action}`), `  → ${command}`]
  })
  return [bold(`Needs attention: ${items.length}`), ...lines].join('\n')
}
