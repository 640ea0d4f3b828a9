import type { Run, RunResult } from '../../stored/run/run.ts'

/** What showed that a run is complete. */
export type FoundProof = Pick<RunResult, 'proof' | 'uniqueIds' | 'reportedTotal'>

/** `refused`: the manifest that a refused run would have had, while it is kept. */
export function foundProof(run: Run, refused: FoundProof | undefined): FoundProof | undefined {
  if (run.status === 'publishing') return 'result' in run ? run.result : undefined
  if (run.status !== 'published') return refused
  return { proof: run.proof, uniqueIds: run.uniqueIds, reportedTotal: run.total ?? null }
}
