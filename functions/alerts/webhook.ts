import type { Report } from './message.ts'

/** The JSON that programs receive. Members may be added; none is removed or changes its meaning in version 1. */
export function webhookMessage({ deployment, changes, left, commandLine }: Report) {
  return {
    version: 1,
    deployment,
    problems: changes.map(
      ({ event, time, problem: { id, kind, level, entity, since, evidence, action, command } }) => ({
        event,
        time,
        id,
        kind,
        level,
        ...(entity !== undefined && { entity }),
        since,
        evidence,
        action,
        ...(command !== undefined && { command, commandLine: `${commandLine} ${command}` }),
      }),
    ),
    more: left,
    status: `${commandLine} status`,
  }
}
