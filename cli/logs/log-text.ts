import type { LogLine } from '../../operator/logs/line.ts'
import { lineText } from '../../operator/logs/line-text.ts'

export function linesText(heading: string, lines: readonly LogLine[]): string {
  const texts = lines.flatMap((line) => lineText(line) ?? [])
  return texts.length === 0 ? `${heading} has no log lines.` : [`${heading}:`, ...texts].join('\n')
}
