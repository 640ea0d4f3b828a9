import type { LogLine } from '../operator/sync/line.ts'

/** A line that a function logs for a run. */
export const logLine = (members: object = {}): LogLine => ({
  timestamp: '2026-11-21T02:54:03.038Z',
  level: 'INFO',
  message: 'run ended',
  runId: 'r',
  entity: 'CL',
  ...members,
})
