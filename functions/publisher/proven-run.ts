import { hash } from 'node:crypto'
import type { Proof } from '../../stored/run/proof.ts'
import { byValue } from '../../stored/run/ranges-of-split.ts'
import type { FullRun } from '../../stored/run/run.ts'
import type { Absences, PlannedRanges } from '../../stored/run/split.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import { pick } from '../runtime/pick.ts'
import type { Count } from './check/count.ts'
import type { CoverageEvidence, Evidence, RangeEvidence } from './check/evidence.ts'
import type { ListedPage } from './check/page.ts'
import { isCovered, sumOf } from './check/ranges.ts'
import { sumText } from './check/set/canonical.ts'
import type { CheckedAttempt } from './check-attempt.ts'
import type { Publisher } from './ports.ts'

/** A range that is proven. */
export interface Decided {
  readonly checked: CheckedAttempt
  readonly evidence: RangeEvidence
}

/** The manifest of a run whose ranges are proven, and what that was decided from. */
export function describeProven(
  { now }: Publisher,
  run: FullRun,
  proven: { readonly decided: readonly [Decided, ...Decided[]]; readonly count: Count<ListedPage> },
): { readonly manifest: Manifest; readonly evidence: Evidence } {
  const { decided, count } = proven
  const { split, plan, requests, receivedBytes } = run
  const [first] = decided
  const planned = split.kind === 'ranges' ? split : undefined
  const coverage = planned ? coverageOf(planned, decided, count.uniqueIds) : null
  const { total } = planned ?? first.checked
  const manifest: Manifest = {
    version: 1,
    ...pick(run, 'entity', 'runId', 'startedAt'),
    ...pick(plan, 'query', 'idField'),
    attempts: Math.max(...decided.map(({ evidence }) => evidence.attempt)),
    proof: coverage ? proofOf(coverage, decided) : first.evidence.proof,
    ...pick(count, 'documents', 'uniqueIds'),
    ...(count.withoutId > 0 && { withoutId: count.withoutId }),
    reportedTotal: typeof total === 'number' ? total : null,
    pageSize: Math.min(...decided.map(({ checked }) => checked.pageSize)),
    openedAt: new Date(Math.min(...decided.map(({ checked }) => checked.openedAt))).toISOString(),
    finishedAt: new Date(now()).toISOString(),
    spent: { requests, receivedBytes, milliseconds: now() - Date.parse(run.startedAt) },
    ...(planned && coverage && partitionsOf(planned, coverage, decided)),
    pages: planned ? withRanges(count.pages, decided) : count.pages,
  }
  const evidence: Evidence = {
    version: 1,
    ...pick(run, 'entity', 'runId'),
    checkedAt: new Date(now()).toISOString(),
    pagesSha256: hash('sha256', JSON.stringify(manifest.pages)),
    limits: {
      totals: plan.totals ?? 'check',
      ...pick(plan, 'totalTolerancePercent', 'maxShrinkPercent', 'allowEmpty'),
    },
    ranges: decided.map((range) => range.evidence),
    coverage,
    ...pick(count, 'uniqueIds', 'withoutId'),
    idSum: sumText(count.idSum),
  }
  return { manifest, evidence }
}

/** Documents in two ranges that share no boundary mean that others may be in none: then coverage is not exact. */
function coverageOf(split: PlannedRanges, decided: readonly Decided[], uniqueIds: number): CoverageEvidence {
  const { by, boundaries, reopened, reading } = split
  const overlap = sumOf(decided.map(({ checked }) => checked.uniqueIds)) - uniqueIds
  const onBoundaries = reading?.onBoundaries ?? []
  // Runs of 1.0.0 have no reading, and their number of documents on boundaries only since 1.1.0.
  const counted = reading ? sumOf(onBoundaries) : (split.onBoundaries ?? overlap)
  const covered = split.coverage === 'exact' && (reading === undefined || isCovered(reading))
  return {
    by,
    boundaries,
    whole: reading?.whole ?? [split.total, split.total],
    ranges: reading?.ranges ?? [],
    onBoundaries,
    reopened,
    overlap,
    exact: covered && overlap <= counted,
  }
}

const proofOf = ({ exact }: CoverageEvidence, decided: readonly Decided[]): Proof =>
  exact && decided.every(({ evidence }) => evidence.proof === 'exact') ? 'exact' : 'within-tolerance'

function partitionsOf(
  split: PlannedRanges,
  coverage: CoverageEvidence,
  decided: readonly Decided[],
): Pick<Manifest, 'partitions' | 'partitionedBy'> {
  const counted = coverage.onBoundaries.length > 0 ? sumOf(coverage.onBoundaries) : (split.onBoundaries ?? 0)
  const overlapping = coverage.overlap - counted
  return {
    partitionedBy: {
      ...pick(split, 'by', 'count', 'boundaries', 'searchedAt'),
      ...(split.areBest && { areBest: split.areBest }),
      absences: absencesOf(split, coverage, decided),
      ...(overlapping > 0 && split.onBoundaries !== undefined && { overlapping }),
    },
    partitions: byValue(decided).map(({ checked, evidence }) => ({
      where: evidence.where ?? '',
      documents: checked.count.documents,
      reportedTotal: typeof checked.total === 'number' ? checked.total : null,
      attempts: evidence.attempt,
      ...pick(evidence, 'uniqueIds', 'proof'),
    })),
  }
}

/** The pages with the places of their ranges. */
function withRanges(pages: readonly ListedPage[], decided: readonly Decided[]): Manifest['pages'] {
  const ranges = byValue(decided).map(({ checked }) => new Set(checked.count.pages.map(({ key }) => key)))
  return pages.map((page) => ({ ...page, range: ranges.findIndex((keys) => keys.has(page.key)) }))
}

/** What it means that a document is in none of the ranges. */
function absencesOf(split: PlannedRanges, coverage: CoverageEvidence, decided: readonly Decided[]): Absences {
  if (!coverage.exact) return 'unknown'
  return !split.reopened && proofOf(coverage, decided) === 'exact' ? 'proven' : 'repeatable'
}
