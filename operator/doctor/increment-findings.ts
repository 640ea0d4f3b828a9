import {
  incrementCommand,
  lastIncrementText,
  needsFullSync,
} from '../../functions/problems/increment-command.ts'
import { formatAge, plural } from '../../functions/runtime/format.ts'
import type { IncrementFact } from './facts.ts'
import { type Finding, type LongshoreFixes, note, ok, problem, solvable } from './finding.ts'
import { type EntityFinding, groupFindings } from './group-findings.ts'
import { maxWindowAgeMs } from './schedule-findings.ts'

interface Found {
  readonly now: number
  readonly fixes: LongshoreFixes
}

/** What increments of these entities did, and what full syncs found of it. */
export const incrementFindings = (facts: readonly IncrementFact[], found: Found): Finding[] =>
  groupFindings(
    facts.flatMap((fact): EntityFinding[] => {
      const { entity } = fact
      const finding = windowFinding(fact, found)
      const group = finding.level === 'ok' ? 'windows' : undefined
      const others = [...lostFindings(fact, found), ...dateFindings(fact), ...auditFindings(fact, found)]
      return [
        { entity, finding, group },
        ...others.map((one) => ({ entity, finding: one, group: undefined })),
      ]
    }),
    found.fixes,
  )

function windowFinding({ entity, increments, publishedAt }: IncrementFact, { now, fixes }: Found): Finding {
  const { window, schedule, last, recordsLastDay } = increments
  const state = window
    ? `${entity}: the last increment window ended ${formatAge(window.to, now)}, ${plural(recordsLastDay, 'record')} in the last day.`
    : `${entity}: no increment has succeeded yet.`
  const ending = lastIncrementText(last)
  const text = ending ? `${state} ${ending}` : state
  const command = fixes.longshore(incrementCommand({ entity, last, publishedAt }))
  if (last?.status === 'failed') {
    const fix = `check whether the next one fails too (${command}); if the platform ignores or refuses the filter, remove increments of ${entity} from the configuration`
    return problem('entities', text, fix)
  }
  if (window && now - Date.parse(window.to) >= maxWindowAgeMs(schedule, now))
    return solvable('entities', text, command)
  // A full sync that is running ends by itself.
  if (needsFullSync({ last, publishedAt })) return { ...note('entities', text), fix: command }
  return window ? ok('entities', state) : note('entities', state)
}

/** Readers that follow the chain have its state, but new readers cannot begin. A full sync starts the chain again. */
function lostFindings({ entity, lostSnapshot }: IncrementFact, { fixes }: Found): Finding[] {
  if (lostSnapshot === undefined) return []
  const text = `${entity}: new readers of its change sets cannot begin, because the snapshot that they would load (run ${lostSnapshot}) is gone.`
  return [solvable('entities', text, fixes.longshore(`sync ${entity} --watch`))]
}

/** The platform finds nothing by a field that its documents do not have, and reports no error. */
function dateFindings({ entity, dates }: IncrementFact): Finding[] {
  if (!dates || (dates.missing.length === 0 && dates.hasDate)) return []
  const { documents, missing } = dates
  const lacks = missing.length > 0 ? `has ${missing.join(' or ')}` : 'has a date in createdIn or updatedIn'
  const text = `${entity}: the last page of the published snapshot has ${plural(documents, 'document')}, but none ${lacks}, so increments cannot find changes.`
  const fix = `check whether the platform has other names for these fields; if it does not store them for this entity, remove increments of ${entity} from the configuration`
  return [problem('entities', text, fix)]
}

function auditFindings(
  { entity, increments: { lookbackMinutes }, audit }: IncrementFact,
  { fixes }: Found,
): Finding[] {
  const { missedByIncrements: missed = 0, invisibleToIncrements: invisible = 0 } = audit
  const found = `${entity}: the last full sync found`
  const findings: Finding[] = []
  if (missed > 0) {
    const text = `${found} ${plural(missed, 'change')} that increments missed: lookbackMinutes (${lookbackMinutes}) is shorter than the platform takes to index a change.`
    const fix = `raise increments.lookbackMinutes of ${entity} in the configuration and deploy, then run ${fixes.longshore(`sync ${entity} --watch`)}`
    findings.push(problem('entities', text, fix))
  }
  if (invisible > 0) {
    const text = `${found} ${plural(invisible, 'change')} that no increment can see: the platform changed documents without updating updatedIn, or documents lack createdIn and updatedIn.`
    const fix = `a longer lookback does not help: run full syncs of ${entity} as often as readers need these changes`
    findings.push({ ...note('entities', text), fix })
  }
  return findings
}
