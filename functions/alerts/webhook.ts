import type { Report } from './message.ts'

/** The JSON that programs receive. Members may be added; none is removed or changes its meaning in version 1. */
export function webhookMessage({ deployment, changes, left, commandLine }: Report) {
  return {
    version: 1,
    deployment,
    problems: changes.map(({ event, time, problem }) => {
      const { command } = problem
      return { event, time, ...problem, ...(command && { commandLine: `${commandLine} ${command}` }) }
    }),
    more: left,
    status: `${commandLine} status`,
  }
}
