import type { EntityResponse, OverviewResponse } from '../../contract/overview.ts'
import type { RunResponse } from '../../contract/run.ts'
import { isInProgress } from './run-facts.ts'

const runningMs = 1_000
export const idleMs = 5_000

export const overviewIntervalMs = (response: Pick<OverviewResponse, 'entities'> | undefined) =>
  response?.entities.some(({ running }) => running) ? runningMs : idleMs

export const entityIntervalMs = (response: Pick<EntityResponse, 'row'> | undefined) =>
  response?.row.running ? runningMs : idleMs

/** A run that has ended changes until it has been compared, and while what was refused can be accepted. */
export function runIntervalMs(
  response: Pick<RunResponse, 'run' | 'comparison' | 'refused'> | undefined,
): number | null {
  if (!response || isInProgress(response.run)) return runningMs
  return isUncompared(response) || response.refused ? idleMs : null
}

const isUncompared = ({ comparison }: Pick<RunResponse, 'comparison'>) => comparison.kind === 'pending'

/** Log lines arrive some seconds late, and reading them costs more than the run. */
export function runLogsIntervalMs(response: Pick<RunResponse, 'run' | 'comparison'>): number | null {
  return isInProgress(response.run) || isUncompared(response) ? idleMs : null
}
