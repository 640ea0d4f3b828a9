import type { EntityAnswer, OverviewAnswer, RunAnswer } from '../../contract.ts'
import { isInProgress } from './run.ts'

const runningMs = 1_000
export const idleMs = 5_000

export const overviewIntervalMs = (answer: Pick<OverviewAnswer, 'entities'> | undefined) =>
  answer?.entities.some(({ running }) => running) ? runningMs : idleMs

export const entityIntervalMs = (answer: Pick<EntityAnswer, 'row'> | undefined) =>
  answer?.row.running ? runningMs : idleMs

/** A run that has ended does not change. */
export const runIntervalMs = (answer: Pick<RunAnswer, 'run'> | undefined) =>
  answer && !isInProgress(answer.run) ? null : runningMs
