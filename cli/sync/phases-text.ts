import { formatDuration } from '../../functions/runtime/format.ts'
import type { Story } from '../../functions/story/story.ts'

/** `Phases: First page 2 s, Scroll 5 min 2 s, Publication in progress for 1 s` */
export function phasesText({ phases }: Pick<Story, 'phases'>): string {
  const texts = phases.map(({ name, state, durationMs }) => {
    const duration = durationMs === null ? '' : ` ${formatDuration(durationMs)}`
    if (state === 'now') return `${name} in progress for${duration}`
    return state === 'done' ? `${name}${duration}` : `${name} ${state}${duration && ` after${duration}`}`
  })
  return `Phases: ${texts.join(', ')}`
}
