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
  const line = Object(parseJson(text)) as Partial<LogLine>
  return line['runId'] === runId && typeof line.timestamp === 'string' && typeof line.message === 'string'
    ? [{ level: '', ...line, timestamp: line.timestamp, message: line.message }]
    : []
}

/** Members of every line of a run, which the text shows elsewhere or once. */
const common = ['timestamp', 'level', 'message', 'runId', 'entity', '_aws']

/** `02:54:03.038 INFO  run ended  status=published`; undefined for a line that carries only metrics. */
export function lineText(line: LogLine): string | undefined {
  const text = textAfterTime(line)
  return text && `${line.timestamp.slice(11, 23)} ${text}`
}

/** The same without the time, which is in UTC. */
export function textAfterTime(line: LogLine): string | undefined {
  // The names of metrics and of their dimensions begin with a capital letter.
  const members = Object.entries(line).filter(
    ([name, value]) => !common.includes(name) && !/^[A-Z]/.test(name) && value !== '',
  )
  if (members.length === 0 && line['_aws'] !== undefined) return undefined
  const fields = members.map(([name, value]) => `${name}=${valueText(value)}`)
  return [`${line.level.padEnd(5)} ${line.message}`, ...fields].join('  ')
}

/** A value without white space as it is, every other one as JSON. */
const valueText = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)
