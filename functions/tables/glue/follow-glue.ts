import { describeError, type Log } from '../../runtime/log.ts'
import { metricFields } from '../../runtime/metrics.ts'
import { glueName } from '../../runtime/settings-schema/glue-names.ts'
import { type GlueState, tablePrefix } from '../../state/tables/table.ts'
import type { TableStore } from '../../state/tables/tables.aws.ts'
import type { Catalog } from './catalog.aws.ts'
import { glueTable, glueUpdate } from './table-input.ts'

interface GlueContext {
  readonly tables: Pick<TableStore, 'readLatest' | 'addressOf'>
  /** The Glue database; undefined if there is none. */
  readonly catalog: Catalog | undefined
  readonly log: Log
  readonly now: () => number
}

/** Each further round means that something else has changed the table or `latest.json` during the previous one. */
const maxRounds = 5

/**
 * Makes the Glue table match `latest.json`, whatever else has changed it. A failure here never fails the publication:
 * readers without a catalog have the table, and the next publication tries again.
 */
export async function followGlue(context: GlueContext, entity: string): Promise<GlueState> {
  const { catalog } = context
  if (!catalog) return { state: 'off' }
  try {
    for (let round = 1; round <= maxRounds; round++)
      if (await isCurrent(context, catalog, entity)) return { state: 'current' }
    throw new Error('Something else keeps changing the table in Glue.')
  } catch (error) {
    return { state: 'failed', reason: reportFailure(context, entity, error) }
  }
}

/** False after a change, so that the caller checks again. Glue thus never keeps the table of an older commit. */
async function isCurrent(
  { tables }: Pick<GlueContext, 'tables'>,
  catalog: Catalog,
  entity: string,
): Promise<boolean> {
  const stored = await catalog.read(glueName(entity))
  const latest = await tables.readLatest(entity)
  if (!latest) return true
  const wanted = glueTable(latest.value, {
    location: tables.addressOf(tablePrefix(entity).slice(0, -1)),
    metadata: tables.addressOf(latest.value.metadata),
  })
  if (!stored) {
    await catalog.create(glueName(entity), wanted)
    return false
  }
  const update = glueUpdate(stored, wanted)
  if (!update) return true
  await catalog.update(glueName(entity), update, stored.version)
  return false
}

/** False if Glue refuses. */
export async function dropFromGlue(
  context: Pick<GlueContext, 'catalog' | 'log' | 'now'>,
  entity: string,
): Promise<boolean> {
  try {
    await context.catalog?.drop(glueName(entity))
    return true
  } catch (error) {
    reportFailure(context, entity, error)
    return false
  }
}

/** Returns the name of the error, which readers of `latest.json` may see. */
function reportFailure(
  { log, now }: Pick<GlueContext, 'log' | 'now'>,
  entity: string,
  error: unknown,
): string {
  log('ERROR', 'Glue table not updated', {
    entity,
    error: describeError(error),
    ...metricFields({ GlueFailures: 1 }, {}, now()),
  })
  return error instanceof Error ? error.name : 'Error'
}
