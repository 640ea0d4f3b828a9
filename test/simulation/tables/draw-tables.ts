import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { Column } from '../../../functions/runtime/settings-schema/columns.ts'
import type { Chance } from '../chance.ts'
import type { Scenario } from '../scenario.ts'

type Columns = NonNullable<EntitySettings['columns']>

const column = (name: string, from: string, type: Column['type']): Column => ({ name, from: [from], type })
const id = column('id', 'id', { kind: 'string' })
const number = column('number', 'number', { kind: 'long' })
const created = column('created', 'createdIn', { kind: 'json' })
const smallNumber = column('number', 'number', { kind: 'int' })
const numberText = column('number', 'number', { kind: 'string' })

/** Redeployments promote, retype, drop and add the column `number` in turn. Few documents have it. */
const columnSets: readonly Columns[] = [
  [id, smallNumber],
  [id, number],
  [id, numberText, created],
  [created, id],
  [id],
]

/** What a fault can be aimed at (see `labelOf` in simulated-clients.ts). */
const tableTargets = [
  'put-table-latest',
  'put-table-metadata',
  'put-table-data',
  'put-table-work',
  'put-report',
  'delete-objects',
  'list-objects',
  'get-table-latest',
  'get-table-work',
  'publish-event',
  'glue',
] as const

/**
 * Some seeds have typed tables. Their syncs mostly publish, and the clocks are right, so that all agree on how long a
 * day is.
 */
export function withTables(scenario: Scenario, { happens, pick, integer, next }: Chance): Scenario {
  if (scenario.scale !== 'small' || scenario.onlyThrottles || scenario.wire || !happens(0.05)) return scenario
  const { platform, drivers, stores } = scenario
  const maybe = (probability: number, max: number) => (happens(probability) ? next() * max : 0)
  return {
    ...scenario,
    tables: {
      pagesOfChunk: pick([1, 2, 4]),
      refusals: happens(0.2) ? 1 : maybe(0.3, 0.4),
      foreignChanges: maybe(0.4, 0.5),
      direct: maybe(0.6, 0.8),
      restDays: maybe(0.7, 0.8),
      otherColumns: maybe(0.6, 0.8),
    },
    entities: scenario.entities.slice(0, 1).map((entity) => ({
      ...entity,
      columns: pick(columnSets),
      schemaReport: true,
      maxShrinkPercent: 100,
      allowEmpty: true,
    })),
    platform: {
      ...platform,
      total: 'right',
      slowest: Math.min(2_000, platform.slowest),
      faults: platform.faults / 4,
      lies: 0,
      outageMs: 0,
    },
    workers: {
      crash: maybe(0.5, 0.05),
      freeze: maybe(0.4, 0.03),
      skewMs: 0,
      clockJump: 0,
      maxJumpMs: 0,
      target: happens(0.6) ? { label: pick(tableTargets), strike: 0.1 + 0.5 * next() } : undefined,
    },
    stores: {
      ...stores,
      conflicts: maybe(0.4, 0.4),
      lost: happens(0.4) ? { label: 'put-table-latest', rate: 0.2 + 0.7 * next() } : stores.lost,
    },
    drivers: {
      ...drivers,
      starts: integer(3, 6),
      kinds: { execution: 4, api: 1, direct: 0 },
      duplicateDelivery: maybe(0.5, 0.4),
      lostResponse: maybe(0.3, 0.2),
      redeploy: maybe(0.6, 0.8),
      pause: 0,
      change: 0.8,
      deleteTip: 0,
      slowCompare: 0,
    },
  }
}

/** The same deployment with other columns for each of its entities, perhaps with none. */
export function withOtherColumns(scenario: Scenario, { happens, pick }: Chance): Scenario {
  if (!happens(scenario.tables?.otherColumns ?? 0)) return scenario
  const columns = happens(0.3) ? undefined : pick(columnSets)
  const schemaReport = columns !== undefined || happens(0.5)
  return {
    ...scenario,
    entities: scenario.entities.map((entity) => ({ ...entity, columns, schemaReport })),
  }
}
