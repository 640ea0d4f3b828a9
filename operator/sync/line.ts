import { parseJson } from '../../functions/runtime/json-object.ts'
import type { LogEvent } from '../aws/log-groups.aws.ts'

/** A line of the functions' logs. Every line has these members; the others depend on the message. */
export interface LogLine {
  readonly timestamp: string
  readonly level: string
  readonly message: string
  readonly [member: string]: unknown
}

/** The lines of a run, in the order of their times. Leaves out events that are not lines of a function. */
export function linesOfRun(runId: string, events: readonly LogEvent[]): LogLine[] {
  return events
    .flatMap(({ text }) => lineOfRun(runId, text))
    .toSorted((one, other) => one.timestamp.localeCompare(other.timestamp))
}

function lineOfRun(runId: string, text: string): LogLine[] {
  const line = parseJson(text) as Partial<LogLine> | null | undefined
  return line?.['runId'] === runId && typeof line.timestamp === 'string' && typeof line.message === 'string'
    ? [{ level: '', ...line, timestamp: line.timestamp, message: line.message }]
    : []
}
