import type { AttentionItem } from '../../operator/attention/item.ts'
import { bold, dim, green, red } from '../../operator/text/colors.ts'
import { formatAge } from '../../operator/text/format.ts'
import { wrap } from '../shell/wrap.ts'

/** What waits for a person, or that nothing does. Commands are never wrapped, so that they can be copied. */
export function attentionText(
  items: readonly AttentionItem[],
  { now, columns }: { readonly now: number; readonly columns: number | undefined },
): string {
  if (items.length === 0) return `${green('✓')} Nothing needs attention.`
  const lines = items.flatMap(({ since, evidence, action, command }) => {
    const [first = '', ...rest] = wrap(evidence, { columns, indent: 2 })
    const age = since === null ? '' : `Since ${since} (${formatAge(since, now)}). `
    return [
      `${red('✗')} ${first}`,
      ...rest.map((line) => `  ${line}`),
      ...wrap(`${age}${action}`, { columns, indent: 2 }).map((line) => dim(`  ${line}`)),
      `  → ${command}`,
    ]
  })
  return [bold(`Needs attention: ${items.length}`), ...lines].join('\n')
}
