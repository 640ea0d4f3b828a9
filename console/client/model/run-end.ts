import type { RunRow, RunStatus } from '../../contract/run-rows.ts'
import type { PhaseState } from './phase.ts'

const provenStatuses: readonly RunStatus[] = ['publishing', 'published', 'refused']

export const isProven = ({ status }: Pick<RunRow, 'status'>) => provenStatuses.includes(status)

/** When the run stopped working by itself; null while it works. */
export const endOf = ({ refusedAt, endedAt }: Pick<RunRow, 'refusedAt' | 'endedAt'>) => refusedAt ?? endedAt

/** The phase in which the run is, or ended. Its story says why. */
export function lastPhase(
  run: Pick<RunRow, 'endedAt' | 'refusedAt'>,
  { name, from, detail }: { readonly name: string; readonly from: string; readonly detail: string },
) {
  const state: PhaseState = run.endedAt === null ? 'now' : 'stopped'
  return { name, from, state, to: endOf(run), detail }
}
