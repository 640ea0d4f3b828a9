import type { EntityResponse, OverviewResponse } from '../../contract/overview.ts'
import type { RunResponse } from '../../contract/run.ts'
import { isInProgress } from './run-facts.ts'

const runningMs = 1_000
export const idleMs = 5_000

export const overviewIntervalMs = (response: Pick<OverviewResponse, 'entities'> | undefined) =>
  response?.entities.some(({ running }) => running) ? runningMs : idleMs

export const entityIntervalMs = (response: Pick<EntityResponse, 'row'> | undefined) =>
  response?.row.running ? runningMs : idleMs

/** A run that has ended changes only until it has been compared. */
export function runIntervalMs(response: Pick<RunResponse, 'run' | 'comparison'> | undefined): number | null {
  if (!response || isInProgress(response.run)) return runningMs
  return response.comparison.kind === 'pending' ? idleMs : null
}

/** Log lines arrive some seconds late, and reading them costs more than the run. */
export function runLogsIntervalMs(response: Pick<RunResponse, 'run' | 'comparison'>): number | null {
  return runIntervalMs(response) === null ? null : idleMs
}
