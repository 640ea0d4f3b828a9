import type { EntityFacts } from '../../functions/problems/facts.ts'
import { shortened } from '../../functions/runtime/format.ts'
import type { ShownEntity } from './status-text.ts'

/** Of a line, for its mark. */
const marginWidth = 2

/** The platform writes reasons, which may be long: each is cut to a line of the terminal, if it has a width. */
export function shortReasons(columns = Number.POSITIVE_INFINITY) {
  function cut<T extends object>(ended: T): T {
    if (!('reason' in ended) || typeof ended.reason !== 'string') return ended
    return { ...ended, reason: shortened(ended.reason, columns - marginWidth) }
  }
  const cutLast = <T extends { readonly last: object | null }>(increments: T): T => ({
    ...increments,
    last: increments.last && cut(increments.last),
  })
  return {
    ofFacts: ({ state, runs, ...facts }: EntityFacts): EntityFacts => ({
      ...facts,
      runs: runs.map(cut),
      state: { ...state, ...(state.increments && { increments: cutLast(state.increments) }) },
    }),
    ofView: <V extends ShownEntity>(view: V): V => ({
      ...view,
      running: view.running && cut(view.running),
      runs: view.runs.map(cut),
      increments: view.increments && cutLast(view.increments),
    }),
  }
}
