import type { EntitySettings } from '../runtime/settings.ts'
import { lastScroll } from './data-problems.ts'
import type { EntityFacts } from './facts.ts'
import { isStale, snapshotFreshness } from './freshness.ts'
import { isEndKnown, lastRunOf } from './last-run.ts'
import { type FoundProblem, nameOfProblem } from './problem.ts'
import { inOrder, orphanKinds, problemsOf } from './problems.ts'
import type { ReadFacts } from './read-facts.ts'

/** Whether what a problem reports still holds, or is in progress again. Another run that ends badly does not resolve it. */
const lasts: Readonly<Partial<Record<string, (facts: EntityFacts) => boolean>>> = {
  stale: (facts) => facts.state.latest !== undefined && isStale(snapshotFreshness(facts), facts.now),
  'no-snapshot': (facts) => facts.settings.enabled && !facts.state.latest && lastRunOf(facts).kind !== 'away',
  'changes-refused': ({ chain }) => chain.kind === 'pending',
  'changes-failed': ({ chain }) => chain.kind === 'pending',
  'changes-erased': ({ chain }) => chain.kind === 'pending',
  'table-failed': ({ table }) => table.kind === 'pending',
  'partitions-unused': (facts) => facts.settings.partitions !== undefined && !lastScroll(facts),
}

/** Those that name how the last run ended. */
const ofLastRun: ReadonlySet<string> = new Set(['run-failed', 'run-refused', 'credentials'])
const publishedAt = ({ state }: EntityFacts) => state.latest?.publishedAt ?? ''
const hasFailedUnknown = (facts: EntityFacts) =>
  !isEndKnown(facts) && (facts.state.failedSince ?? '') > publishedAt(facts)

type IsAskedFor = (settings: EntitySettings) => boolean
const hasChanges: IsAskedFor = ({ changes }) => changes !== false
const hasAudit: IsAskedFor = (settings) => hasChanges(settings) && settings.increments !== undefined

/** The kinds that only the bucket shows, while the configuration asks for what they are about. */
const isInBucket: Readonly<Partial<Record<string, IsAskedFor>>> = {
  'unreadable-data': () => true,
  'changes-refused': hasChanges,
  'changes-failed': hasChanges,
  'changes-erased': hasChanges,
  'table-failed': ({ columns }) => columns !== undefined,
  'schema-changed': ({ schemaReport }) => schemaReport,
  'increments-missed': hasAudit,
  'increments-invisible': hasAudit,
}

/** Every problem that is open, as the facts and the last look show it. */
export function openProblems(facts: ReadFacts): FoundProblem[] {
  const before = new Map(facts.last.problems.map((problem) => [nameOfProblem(problem), problem]))
  const found = problemsOf(facts).map((problem) => {
    // It began when it was first known to, also if the state shows only when it was last tried again.
    const same = before.get(nameOfProblem(problem))
    const [since = null] = [problem.since, same?.since].flatMap((time) => time ?? []).toSorted()
    // A full sync prevents increments that have become too old for another reason.
    const isStill = problem.kind === 'increments-stale' && same?.level === 'problem'
    return { ...problem, since, ...(isStill && { level: 'problem' as const }) }
  })
  return inOrder([...found, ...staying(found, facts)])
}

/**
 * The problems of the last look that are still open, although this look did not find them: it could not read what would
 * show that their cause has gone, or what they report is being tried again.
 */
function staying(found: readonly FoundProblem[], { entities, unread, last }: ReadFacts): FoundProblem[] {
  const names = new Set(found.map(nameOfProblem))
  const isUnread = new Set(unread.map(({ entity }) => entity))
  const stays = (problem: FoundProblem) => {
    const { kind, entity } = problem
    if (names.has(nameOfProblem(problem))) return false
    if (entity === undefined) return kind === 'platform-away' && entities.some(hasFailedUnknown)
    const facts = entities.find(({ settings }) => settings.name === entity)
    // What is not configured has only problems of its data.
    if (!facts) return isUnread.has(undefined) && orphanKinds.has(kind)
    if (ofLastRun.has(kind)) return !isEndKnown(facts) && publishedAt(facts) <= (problem.since ?? '')
    const isUnknown = isUnread.has(entity) || facts.unreadable !== undefined
    return (isUnknown && isInBucket[kind]?.(facts.settings)) || lasts[kind]?.(facts) === true
  }
  return last.problems.map(({ id: _id, ...problem }) => problem).filter(stays)
}
