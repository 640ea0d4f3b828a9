import { describeError, type Log } from '../../functions/runtime/log.ts'
import { glueName } from '../../functions/runtime/settings-schema/glue-names.ts'
import { type GlueState, type TableLatest, tablePrefix } from '../tables/table.ts'
import type { TableStore } from '../tables/tables.aws.ts'
import type { Catalog } from './catalog.aws.ts'
import { checkLocation } from './check-location.ts'
import { glueTable, glueUpdate, metadataOf } from './table-input.ts'

interface GlueContext {
  readonly tables: Pick<TableStore, 'readLatest' | 'addressOf'>
  /** The Glue database; undefined if there is none. */
  readonly catalog: Catalog | undefined
  readonly log: Log
  readonly now: () => number
}

/** What Glue has, for `latest.json`. */
type InGlue = { readonly glue: GlueState } & Pick<TableLatest, 'inGlue'>

/** Each further round means that something else has changed the table or `latest.json` during the previous one. */
const maxRounds = 5

/**
 * Makes the Glue table match `latest.json`, whatever else has changed it. A failure here never fails the publication:
 * readers without a catalog have the table, and the next publication tries again.
 */
export async function followGlue(context: GlueContext, entity: string): Promise<InGlue> {
  const { catalog } = context
  if (!catalog) return { glue: { state: 'off' }, inGlue: null }
  try {
    for (let round = 1; round <= maxRounds; round++) {
      const inGlue = await follow(context, catalog, entity)
      if (inGlue !== undefined) return { glue: { state: 'current' }, inGlue }
    }
    throw new Error('Something else keeps changing the table in Glue.')
  } catch (error) {
    const latest = (await context.tables.readLatest(entity))?.value
    const stored = await catalog.read(glueName(entity)).catch(() => undefined)
    const inGlue = stored ? metadataOf(stored) : (latest?.inGlue ?? null)
    return { glue: failure(context, { entity, latest, error }), inGlue }
  }
}

/** The metadata that Glue names; undefined after a change, so that the caller checks again. Glue thus never keeps the table of an older commit. */
async function follow(
  { tables }: Pick<GlueContext, 'tables'>,
  catalog: Catalog,
  entity: string,
): Promise<string | null | undefined> {
  const stored = await catalog.read(glueName(entity))
  const latest = await tables.readLatest(entity)
  if (!latest) {
    if (!stored) return null
    // The table was removed meanwhile, perhaps before it was created here.
    await catalog.drop(glueName(entity))
    return undefined
  }
  const wanted = glueTable(latest.value, {
    location: tables.addressOf(tablePrefix(entity).slice(0, -1)),
    metadata: tables.addressOf(latest.value.metadata),
  })
  if (!stored) {
    await catalog.create(glueName(entity), wanted)
    return undefined
  }
  const update = glueUpdate(stored, wanted)
  if (!update) return checkLocation(metadataOf(stored), tables.addressOf(latest.value.metadata))
  await catalog.update(glueName(entity), update, stored.version)
  return undefined
}

interface Failed {
  readonly entity: string
  readonly latest: TableLatest | undefined
  readonly error: unknown
}

/** A failure that a publication after the first one has not repaired stays until somebody repairs it. */
function failure(context: GlueContext, { entity, latest, error }: Failed): GlueState {
  const committedAt = latest?.committedAt ?? new Date(context.now()).toISOString()
  const since = latest?.glue?.state === 'failed' ? latest.glue.since : committedAt
  return { state: 'failed', reason: reportFailure(context, { entity, error }), since }
}

/** False if Glue refuses. */
export async function dropFromGlue(context: GlueContext, entity: string): Promise<boolean> {
  try {
    await context.catalog?.drop(glueName(entity))
    return true
  } catch (error) {
    reportFailure(context, { entity, error })
    return false
  }
}

/** Returns the name of the error, which readers of `latest.json` may see. */
function reportFailure(
  { log }: Pick<GlueContext, 'log'>,
  { entity, error }: { readonly entity: string; readonly error: unknown },
): string {
  log('ERROR', 'Glue table not updated', { entity, error: describeError(error) })
  if (!(error instanceof Error)) return 'Error'
  // Glue denies access too if the role may not use the key of the Data Catalog.
  return /\bkms:/i.test(error.message) ? 'GlueEncryptionException' : error.name
}
