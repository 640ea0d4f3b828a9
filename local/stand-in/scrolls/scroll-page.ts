import { countOf, type DocumentSource } from '../documents.ts'
import type { InjectedFault } from '../faults.ts'
import type { StandInScroll } from './open-scroll.ts'
import { totalText } from './total.ts'

/** The header that reports how many documents match. */
export function totalHeader(
  scroll: StandInScroll,
  source: DocumentSource,
  fault: InjectedFault | undefined,
): Record<string, string> {
  const text = totalText(fault?.kind === 'total' ? fault.total : scroll.total, countOf(source))
  return text === undefined ? {} : { 'REST-Content-Total': text }
}

/** Which page a response sends and which one is next, when the cursor is at page `asked`. */
export function movement(asked: number, fault: InjectedFault | undefined): { sent: number; next: number } {
  if (fault?.kind === 'repeat-page') {
    return { sent: Math.max(0, asked - 1), next: fault.lose ? asked + 1 : asked }
  }
  if (fault?.kind === 'skip-page') return { sent: asked + 1, next: asked + 2 }
  if (fault?.kind === 'end' && fault.cursor === 'stays') return { sent: asked, next: asked }
  return { sent: asked, next: asked + 1 }
}
