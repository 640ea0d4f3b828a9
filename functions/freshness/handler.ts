import { environment, readSettings, required } from '../environment.ts'
import { log } from '../log.ts'
import { createStateStore } from '../sync/state-store.ts'
import { checkFreshness } from './check.ts'
import type { Freshness } from './freshness.ts'
import { createWatchStore } from './watch-store.ts'

const { entities } = readSettings()
const table = required(environment.table)
const state = createStateStore(table)
const watch = createWatchStore(table)

/** Called every quarter of an hour by a schedule of its own. */
export function handler(): Promise<Freshness[]> {
  return checkFreshness({ entities, state, watch, log, now: Date.now })
}
