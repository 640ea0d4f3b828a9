import { type LogLine, lineText } from '../../operator/sync/line.ts'

export function linesText(heading: string, lines: readonly LogLine[]): string {
  const texts = lines.flatMap((line) => lineText(line) ?? [])
  return texts.length === 0 ? `${heading} has no log lines.` : [`${heading}:`, ...texts].join('\n')
}
