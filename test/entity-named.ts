import type { EntitySettings } from '../functions/runtime/settings.ts'

/** An entity whose configuration sets only the name. */
export function entityNamed(name: string, change: Partial<EntitySettings> = {}): EntitySettings {
  return {
    name,
    schedule: 'rate(1 day)',
    timezone: 'UTC',
    pageSize: 1000,
    query: {},
    idField: 'id',
    keepSnapshots: 7,
    maxShrinkPercent: undefined,
    allowEmpty: false,
    totalTolerancePercent: 1,
    totals: 'check',
    enabled: true,
    partitions: undefined,
    changes: { ignore: [], maxDeletePercent: 10, keepDays: 30 },
    columns: undefined,
    schemaReport: false,
    increments: undefined,
    ...change,
  }
}
