import type { EntityFacts } from './facts.ts'
import { isRunning } from './last-run.ts'
import { nameOfProblem } from './problem.ts'
import type { OpenProblem } from './problem-events.ts'
import { orphanKinds } from './problems.ts'
import type { ReadFacts } from './read-facts.ts'

/** Whether what a problem reports is in progress again. */
const isTriedAgain: Readonly<Partial<Record<string, (facts: EntityFacts) => boolean>>> = {
  'no-snapshot': (facts) => facts.settings.enabled && !facts.state.latest && isRunning(facts),
  'changes-refused': ({ chain }) => chain.kind === 'pending',
  'changes-failed': ({ chain }) => chain.kind === 'pending',
  'changes-erased': ({ chain }) => chain.kind === 'pending',
  'table-failed': ({ table }) => table.kind === 'pending',
}

/**
 * The problems of the last look that are still open, although this look did not find them: it could not read what would
 * show that their cause has gone, or what they report is being tried again.
 */
export function staying(
  last: readonly OpenProblem[],
  found: readonly OpenProblem[],
  { entities, unread }: ReadFacts,
): OpenProblem[] {
  const names = new Set(found.map(nameOfProblem))
  const isUnread = new Set(unread.map(({ entity }) => entity))
  return last.filter((problem) => {
    const { kind, entity } = problem
    if (entity === undefined || names.has(nameOfProblem(problem))) return false
    const facts = entities.find(({ settings }) => settings.name === entity)
    // What is not configured has only problems of its data.
    if (!facts) return isUnread.has(undefined) && orphanKinds.has(kind)
    if (isUnread.has(entity) || facts.unreadable) return true
    return isTriedAgain[kind]?.(facts) === true
  })
}
