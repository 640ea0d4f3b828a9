import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { Chance } from './chance.ts'
import { ignorableField } from './platform/document-versions.ts'
import type { Scenario } from './scenario.ts'

/** Another configuration from now on. What it changes for a run in progress must not prove anything false. */
export function redeployed(scenario: Scenario, all: readonly EntitySettings[], chance: Chance): Scenario {
  const ownPageSize = Math.min(500, all[0]?.pageSize ?? 10)
  const change = {
    pageSize: chance.pick(scenario.scale === 'small' ? [3, 5, 10, 60] : [ownPageSize, 2 * ownPageSize]),
    query: chance.pick([{}, { _where: 'no is not null OR no is null' }]),
    idField: chance.pick(scenario.compares ? ['id', 'id', 'number'] : ['id', 'number', 'none']),
    keepSnapshots: chance.integer(1, 3),
    maxShrinkPercent: chance.pick([0, 30, 100]),
    allowEmpty: chance.happens(0.3),
    totalTolerancePercent: chance.pick([0, 1, 5]),
    enabled: chance.happens(0.8),
    partitions: chance.happens(0.6) ? { by: 'createdIn', count: chance.integer(2, 5) } : undefined,
    ...(scenario.compares && { changes: otherChanges(chance) }),
  }
  // An entity can be removed, and come back with a later deployment.
  const kept = all.filter(() => chance.happens(0.9))
  const names = new Map(scenario.entities.map((entity) => [entity.name, entity]))
  return {
    ...scenario,
    release: 'current',
    entities: kept.map((entity) => ({ ...entity, ...names.get(entity.name), ...change })),
    maxConcurrentSyncs: chance.pick([1, 2, 5, scenario.maxConcurrentSyncs]),
    maxConcurrentScrolls: chance.pick([1, 2, 5, scenario.maxConcurrentScrolls]),
    stepSeconds: chance.pick([30, scenario.stepSeconds]),
  }
}

function otherChanges(chance: Chance): EntitySettings['changes'] {
  if (chance.happens(0.4)) return false
  return {
    ignore: chance.pick([[], [], [ignorableField]]),
    maxDeletePercent: chance.pick([0, 10, 100]),
    keepDays: chance.pick([0.01, 30]),
  }
}
