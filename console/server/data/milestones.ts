import { acceptanceOf, type Run, rangesOfRun } from '../../../functions/state/run/run.ts'
import type { Manifest } from '../../../functions/state/snapshots/manifest.ts'
import type { GuardsRow, Milestones, ProofRow } from '../../contract/run.ts'

type Proven = Pick<Manifest, 'proof' | 'uniqueIds' | 'reportedTotal'>

/** What divides a run into phases. `refused`: the manifest that a refused run would have had, while it is kept. */
export function milestonesOf(run: Run, refused: Proven | undefined): Milestones {
  const starts = rangesOfRun(run).map(({ attemptStartedAt }) => attemptStartedAt)
  return {
    attemptStartedAt: starts.toSorted()[0] ?? null,
    provenAt: decisionOf(run)?.decidedAt ?? resultOf(run)?.finishedAt ?? null,
    proof: proofOf(run, refused),
    guards: guardsOf(run),
    republishedFrom: run.kind === 'republication' ? run.republishedFrom : null,
  }
}

function proofOf(run: Run, refused: Proven | undefined): ProofRow | null {
  if (run.status === 'published')
    return { proof: run.proof, uniqueIds: run.uniqueIds, total: run.total ?? null }
  const proven = resultOf(run) ?? refused
  return proven ? rowOf(proven) : null
}

const resultOf = (run: Run) =>
  run.status === 'publishing' && run.kind !== 'increment' ? run.result : undefined

const rowOf = ({ proof, uniqueIds, reportedTotal }: Proven): ProofRow => ({
  proof,
  uniqueIds,
  total: reportedTotal,
})

const decisionOf = (run: Run) => (run.kind === 'increment' ? undefined : run.guarded)

function guardsOf(run: Run): GuardsRow | null {
  const guarded = decisionOf(run)
  if (!guarded || run.kind === 'increment') return null
  const { acceptShrink } = run
  const { uniqueIds, publishedIds = null, refusedBy = null } = guarded
  const { maxShrinkPercent, allowEmpty } = run.kind === 'full' ? run.plan : run.limits
  const acceptedBy = acceptanceOf(run)?.by ?? null
  return { uniqueIds, publishedIds, maxShrinkPercent, allowEmpty, acceptShrink, refusedBy, acceptedBy }
}
