import type { Operations } from '../../local/embedded/aws-json-server.ts'

export interface StoredEvent {
  readonly timestamp: number
  readonly message: string
}

/** Log groups of CloudWatch Logs. FilterLogEvents returns one event per page, and knows patterns such as `{ $.a = "b" }`. */
export function createLogGroups(groups: ReadonlyMap<string, StoredEvent[]>): Operations {
  return {
    'Logs_20140328.FilterLogEvents': ({
      logGroupName,
      filterPattern,
      startTime,
      endTime,
      nextToken = '0',
    }) => {
      const [, member = '', value = ''] = /^\{ \$\.(\w+) = "(.*)" \}$/.exec(filterPattern) ?? []
      const matching = (groups.get(logGroupName) ?? [])
        .map((event, index) => ({ ...event, eventId: String(index) }))
        .filter(
          ({ timestamp, message }) =>
            timestamp >= startTime &&
            timestamp <= endTime &&
            (JSON.parse(message) as Record<string, unknown>)[member] === value,
        )
      const at = Number(nextToken)
      const next = at + 1 < matching.length ? { nextToken: String(at + 1) } : {}
      return { events: matching.slice(at, at + 1), ...next }
    },
  }
}
