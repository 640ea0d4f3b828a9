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

/** Documents in two ranges that share no boundary mean that others may be in none: then coverage is not exact. */
export function coverageOf(
  split: PlannedRanges,
  decided: readonly Decided[],
  uniqueIds: number,
): CoverageEvidence {
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

export const proofOf = ({ exact }: CoverageEvidence, decided: readonly Decided[]): Proof =>
  exact && decided.every(({ evidence }) => evidence.proof === 'exact') ? 'exact' : 'within-tolerance'

export interface ProvenRun {
  readonly decided: readonly Decided[]
  readonly count: Count<ListedPage>
  readonly coverage: CoverageEvidence | null
  readonly proof: Proof
}

export function manifestOf(
  { now }: Publisher,
  run: FullRun,
  { decided, count, coverage, proof }: ProvenRun,
): Manifest {
  const { split, plan, requests, receivedBytes } = run
  const total = split.kind === 'ranges' ? split.total : decided[0]?.checked.total
  return {
    version: 1,
    ...pick(run, 'entity', 'runId', 'startedAt'),
    ...pick(plan, 'query', 'idField'),
    attempts: Math.max(...decided.map(({ evidence }) => evidence.attempt)),
    proof,
    ...pick(count, 'documents', 'uniqueIds'),
    ...(count.withoutId > 0 && { withoutId: count.withoutId }),
    reportedTotal: typeof total === 'number' ? total : null,
    pageSize: Math.min(...decided.map(({ checked }) => checked.pageSize)),
    openedAt: new Date(Math.min(...decided.map(({ checked }) => checked.openedAt))).toISOString(),
    finishedAt: new Date(now()).toISOString(),
    spent: { requests, receivedBytes, milliseconds: now() - Date.parse(run.startedAt) },
    ...(coverage && split.kind === 'ranges'
      ? partitionsOf(split, { decided, coverage, count })
      : pick(count, 'pages')),
  }
}

function partitionsOf(
  split: PlannedRanges,
  {
    decided,
    coverage,
    count,
  }: Pick<ProvenRun, 'decided' | 'count'> & { readonly coverage: CoverageEvidence },
): Pick<Manifest, 'partitions' | 'partitionedBy' | 'pages'> {
  const ranges = byValue(decided).map(({ checked }) => new Set(checked.count.pages.map(({ key }) => key)))
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
    pages: count.pages.map((page) => ({ ...page, range: ranges.findIndex((keys) => keys.has(page.key)) })),
  }
}

/** What it means that a document is in none of the ranges. */
function absencesOf(split: PlannedRanges, coverage: CoverageEvidence, decided: readonly Decided[]): Absences {
  if (!coverage.exact) return 'unknown'
  return !split.reopened && proofOf(coverage, decided) === 'exact' ? 'proven' : 'repeatable'
}

export function evidenceOf(
  { now }: Publisher,
  run: FullRun,
  {
    decided,
    count,
    coverage,
    pages,
  }: Pick<ProvenRun, 'decided' | 'count' | 'coverage'> & Pick<Manifest, 'pages'>,
): Evidence {
  const { plan } = run
  return {
    version: 1,
    ...pick(run, 'entity', 'runId'),
    checkedAt: new Date(now()).toISOString(),
    pagesSha256: hash('sha256', JSON.stringify(pages)),
    limits: {
      totals: plan.totals ?? 'check',
      ...pick(plan, 'totalTolerancePercent', 'maxShrinkPercent', 'allowEmpty'),
    },
    ranges: decided.map(({ evidence }) => evidence),
    coverage,
    ...pick(count, 'uniqueIds', 'withoutId'),
    idSum: sumText(count.idSum),
  }
}
