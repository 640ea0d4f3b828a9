import { formatAge, plural } from '../text/format.ts'
import type { IncrementFact } from './facts.ts'
import { type Finding, type FixCommands, note, ok, problem, solvable } from './finding.ts'
import { maxWindowAgeMs } from './schedule-findings.ts'

interface Found {
  readonly now: number
  readonly fixes: Pick<FixCommands, 'longshore'>
}

/** What increments of these entities did, and what full syncs found of it. */
export const incrementFindings = (facts: readonly IncrementFact[], found: Found): Finding[] =>
  facts.flatMap((fact) => [windowFinding(fact, found), ...auditFindings(fact)])

function windowFinding({ entity, increments }: IncrementFact, { now, fixes }: Found): Finding {
  const { window, schedule, last, recordsLastDay } = increments
  const state = window
    ? `${entity}: the last window of increments ended ${formatAge(window.to, now)}, ${plural(recordsLastDay, 'record')} in the last day.`
    : `${entity}: no increment has ended well yet.`
  const text = last?.reason ? `${state} The last one ${last.status}: ${last.reason}` : state
  if (last?.status === 'failed') {
    const again = fixes.longshore(`sync ${entity} --increment --watch`)
    const fix = `see whether the next one fails too (${again}); if the platform ignores or refuses the filter, remove increments of ${entity} from the configuration`
    return problem('entities', text, fix)
  }
  const isStale = window !== null && now - Date.parse(window.to) >= maxWindowAgeMs(schedule, now)
  const fullSync = fixes.longshore(`sync ${entity} --watch`)
  if (isStale) return solvable('entities', text, fullSync)
  // A full sync that is running ends by itself; too many changes need one.
  if (last?.status === 'skipped') return { ...note('entities', text), fix: fullSync }
  return window ? ok('entities', text) : note('entities', text)
}

function auditFindings({ entity, increments: { lookbackMinutes }, audit }: IncrementFact): Finding[] {
  const { missedByIncrements: missed = 0, invisibleToIncrements: invisible = 0 } = audit
  const found = `${entity}: the last full sync found`
  const findings: Finding[] = []
  if (missed > 0) {
    const text = `${found} ${plural(missed, 'change')} that increments had missed: lookbackMinutes (${lookbackMinutes}) is shorter than the platform takes to index a change.`
    const fix = `raise increments.lookbackMinutes of ${entity} in the configuration and deploy`
    findings.push(problem('entities', text, fix))
  }
  if (invisible > 0) {
    const text = `${found} ${plural(invisible, 'change')} that no increment can see: the platform changed documents without moving updatedIn, or documents lack createdIn and updatedIn.`
    const fix = `no lookback helps: run full syncs of ${entity} as often as readers need these changes`
    findings.push({ ...note('entities', text), fix })
  }
  return findings
}
