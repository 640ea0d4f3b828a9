import { type EntityState, entityItems } from '../../../../operator/attention/entity-items.ts'

export const now = Date.parse('2026-11-21T12:00:00Z')
export const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString()

let hours = 0
export const run = (status: string, change: object = {}) => ({
  runId: `run-${++hours}`,
  status,
  endedAt: hoursAgo(hours),
  documents: 280,
  uniqueIds: 280,
  reason: 'The platform was unreachable.',
  faults: {},
  ...change,
})
export const snapshot = { runId: 'r', publishedAt: hoursAgo(5), documents: 700 }

export function itemsOf(view: object, change: Partial<EntityState> = {}) {
  hours = 0
  const base = { entity: 'CL', enabled: true, schedule: 'rate(6 hours)', running: null, snapshot, runs: [] }
  const read = typeof view === 'function' ? view() : view
  return entityItems({
    view: { ...base, ...read } as never,
    chain: { kind: 'current' },
    table: { kind: 'off' },
    schedule: { kind: 'unknown' },
    now,
    command: (words) => `longshore ${words}`,
    ...change,
  })
}
