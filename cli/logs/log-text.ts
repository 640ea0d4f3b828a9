import { formatDuration } from '../../functions/runtime/format.ts'
import type { Story } from '../../functions/story/story.ts'
import type { LogLine } from '../../operator/logs/line.ts'
import { lineText } from '../../operator/logs/line-text.ts'

export function linesText(heading: string, lines: readonly LogLine[]): string {
  const texts = lines.flatMap((line) => lineText(line) ?? [])
  return texts.length === 0 ? `${heading} has no log lines.` : [`${heading}:`, ...texts].join('\n')
}

/** `Phases: First page 2 s, Scroll 5 min 2 s, Publication in progress for 1 s` */
export function phasesText({ phases }: Pick<Story, 'phases'>): string {
  const texts = phases.map(({ name, state, durationMs }) => {
    const duration = durationMs === null ? '' : ` ${formatDuration(durationMs)}`
    if (state === 'now') return `${name} in progress for${duration}`
    return state === 'done' ? `${name}${duration}` : `${name} ${state}${duration && ` after${duration}`}`
  })
  return `Phases: ${texts.join(', ')}`
}
