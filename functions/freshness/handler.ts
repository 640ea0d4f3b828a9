import { log } from '../runtime/log.ts'
import { environment, readSettings, required } from '../runtime/settings.ts'
import { connectTable } from '../state/dynamodb/connect.aws.ts'
import { createStateStore } from '../state/sync-state.ts'
import { checkFreshness } from './check.ts'
import type { Freshness } from './freshness.ts'
import { createWatchStore } from './watch.ts'

const { entities } = readSettings()
const table = connectTable(required(environment.table))
const state = createStateStore(table)
const watch = createWatchStore(table)

/** Invoked every 15 minutes by a schedule. */
export function handler(): Promise<Freshness[]> {
  return checkFreshness({ entities, state, watch, log, now: Date.now })
}
