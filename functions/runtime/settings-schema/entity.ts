import * as v from 'valibot'
import { columnsSchema } from './columns.ts'
import { entityNamePattern } from './entity-name.ts'
import { findScheduleError } from './schedule.ts'
import {
  describeValue,
  flag,
  itemsOf,
  numberBetween,
  oneOf,
  pathTo,
  primitive,
  strictObject,
  textMatching,
  wholeNumber,
} from './schema-parts.ts'
import { missingFields, scrollQuerySchema } from './scroll-query.ts'
import { findTimezoneError } from './timezone.ts'

const fieldName = () => textMatching('the name of a field', /\S/)

/** Fields that every update changes: a document would move between the ranges while they are scrolled. */
const changingFields = ['updatedin', 'lastinteractionin']

const dateField = "the name of a date field, such as 'createdIn'"

/** How an entity is scrolled in ranges. */
const partitionsSchema = strictObject({
  /** A date field whose value never changes. */
  by: v.pipe(
    textMatching(dateField, /^[A-Za-z_][\w.]*$/),
    v.check(
      (field) => !changingFields.includes(field.toLowerCase()),
      ({ input }) =>
        `${describeValue(input)} changes with every update; use a field that never changes, such as 'createdIn'`,
    ),
    v.description(dateField),
  ),
  /** Number of ranges that are scrolled at the same time. */
  count: wholeNumber(2, 10),
})

/** When an entity is asked for what changed. No schedule runs more often than once a minute. */
const incrementsSchema = strictObject({
  /** `rate(…)` or `cron(…)` of EventBridge Scheduler. */
  schedule: primitive<string>('string', "rate(…) or cron(…), such as 'rate(5 minutes)'", findScheduleError),
  /** How long before the end of the previous window a window begins, because the platform's index lags. */
  lookbackMinutes: v.optional(wholeNumber(5, 1440), 60),
})

/** The fields with the times at which a document changed. */
const incrementFields = ['createdIn', 'updatedIn'] as const

/** Lowered by `eraseWithinDays` where it allows less. */
export const keepDefaults = { keepSnapshots: 7, keepDays: 30 } as const

const keptNumber = wholeNumber(1, 1000)

const keptRule = strictObject({
  /** How many of the newest snapshots are kept. */
  last: v.optional(wholeNumber(1, 1000), keepDefaults.keepSnapshots),
  /** For how many days, in UTC, the last snapshot of the day is kept. */
  daily: wholeNumber(1, 1000),
})

const keepSnapshots = v.lazy((input) =>
  typeof input === 'object' && input !== null ? keptRule : keptNumber,
) as v.GenericSchema<number | v.InferInput<typeof keptRule>, number | v.InferOutput<typeof keptRule>>

const changeRules = strictObject({
  /** Top-level fields whose changes do not count. */
  ignore: v.optional(itemsOf(fieldName(), 'a list of field names'), []),
  /** A change set that deletes more than this percentage of its base is refused. */
  maxDeletePercent: v.optional(numberBetween(0, 100), 10),
  /** Change sets older than this expire. Every request for changes reads the list of all kept sets. */
  keepDays: v.optional(wholeNumber(1, 365), keepDefaults.keepDays),
})

const noChanges = v.literal(false)

const changes = v.lazy((input) => (input === false ? noChanges : changeRules)) as v.GenericSchema<
  false | v.InferInput<typeof changeRules>,
  false | v.InferOutput<typeof changeRules>
>

/** `ignore`: the platform's totals are always wrong, so that entities are proven as if it reported none. */
const totalsRules = ['check', 'ignore'] as const
export type TotalsRule = (typeof totalsRules)[number]

const entityKeys = strictObject({
  /** The data entity's name in the platform's paths. */
  name: textMatching(
    'the name of an entity: a letter or digit, then up to 63 letters, digits, _ and -',
    entityNamePattern,
  ),
  /** `rate(…)` or `cron(…)` of EventBridge Scheduler. */
  schedule: primitive<string>('string', "rate(…) or cron(…), such as 'rate(6 hours)'", findScheduleError),
  timezone: v.optional(
    primitive<string>('string', "a time zone, such as 'Europe/Lisbon'", findTimezoneError),
    'UTC',
  ),
  /** Documents per page. */
  pageSize: v.optional(wholeNumber(1, 1000), 1000),
  /** Extra parameters of the first scroll request, such as `_fields` and `_where`; a list repeats the parameter. */
  query: v.optional(scrollQuerySchema, {}),
  /** The field that identifies a document. */
  idField: v.optional(fieldName(), 'id'),
  /** How many published snapshots to keep, and for how many days one of each day. Every publication lists the pages of all kept snapshots. */
  keepSnapshots: v.optional(keepSnapshots, keepDefaults.keepSnapshots),
  /**
   * A snapshot that is smaller than the published one by more than this percentage is refused. By default by more than
   * 30%, or by more than 10% and more than 10 documents.
   */
  maxShrinkPercent: v.optional(numberBetween(0, 100), () => undefined),
  /** Whether a snapshot without documents may be published. */
  allowEmpty: v.optional(flag(), false),
  /** How far the count of a clean attempt may differ from the total that the platform reported. */
  totalTolerancePercent: v.optional(numberBetween(0, 100), 1),
  /** Whether the total that the platform reports counts. */
  totals: v.optional(oneOf(...totalsRules), 'check'),
  /** `false`: no schedule, but the entity can be synced by hand. */
  enabled: v.optional(flag(), true),
  /** Splits the sync into several scrolls over ranges of one field. */
  partitions: v.optional(partitionsSchema, () => undefined),
  /** What counts as a change between two snapshots; `false` turns change sets off. */
  changes: v.optional(changes, {}),
  /** The columns of the entity's table. No table if absent. */
  columns: v.optional(columnsSchema, () => undefined),
  /** Whether each snapshot has a schema report. It always has one with `columns`. */
  schemaReport: v.optional(flag(), false),
  /** Asks the platform for changes between two full syncs. */
  increments: v.optional(incrementsSchema, () => undefined),
})

export const entitySchema = v.pipe(
  entityKeys,
  v.rawCheck(({ dataset, addIssue }) => {
    // Runs even if another key has an error, so that all errors are reported at once.
    if (typeof dataset.value !== 'object' || dataset.value === null) return
    const entity = dataset.value as Record<string, unknown>
    for (const { keys, message } of [
      ...fieldsErrors(entity),
      ...incrementErrors(entity),
      ...totalsErrors(entity),
    ])
      addIssue({ message, path: pathTo(entity, keys) })
  }),
  v.transform((entity) => ({ ...entity, schemaReport: entity.schemaReport || entity.columns !== undefined })),
)

interface KeyError {
  readonly keys: readonly string[]
  readonly message: string
}

/** A snapshot cannot be proven without ids, nor an increment without dates, nor a delete without the field of the ranges. */
function fieldsErrors(entity: Record<string, unknown>): KeyError[] {
  const { query, idField = 'id', increments, partitions } = entity
  if (typeof idField !== 'string' || typeof query !== 'object' || query === null) return []
  if (!Object.hasOwn(query, '_fields')) return []
  const fields = (query as Record<string, unknown>)['_fields']
  const { by } = Object(partitions) as { by?: unknown }
  const needs: readonly (readonly [what: string, needed: readonly string[], why: string])[] = [
    ['the idField ', [idField], ''],
    ['', increments === undefined ? [] : incrementFields, ', which increments need'],
    ['', typeof by === 'string' ? [by] : [], ', which partitions need'],
  ]
  return needs.flatMap(([what, needed, why]) => {
    const names = missingFields(fields, needed).map(describeValue).join(' and ')
    if (names === '') return []
    const message = `does not contain ${what}${names}${why}; add ${names} or use '_all'`
    return [{ keys: ['query', '_fields'], message }]
  })
}

function incrementErrors({ changes, increments }: Record<string, unknown>): KeyError[] {
  if (changes !== false || increments === undefined) return []
  const message = 'need change sets, but changes is false; remove one of the two'
  return [{ keys: ['increments'], message }]
}

/** Ranges are shown to contain the entity by totals. */
function totalsErrors({ totals, partitions }: Record<string, unknown>): KeyError[] {
  if (totals !== 'ignore' || partitions === undefined) return []
  const message = "cannot be 'ignore' with partitions, which need totals; remove one of the two"
  return [{ keys: ['totals'], message }]
}

type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T

/** One entity of the configuration, with every default filled in. */
export type EntitySettings = Immutable<v.InferOutput<typeof entitySchema>>
export type PartitionSettings = NonNullable<EntitySettings['partitions']>
export type ChangeSettings = Exclude<EntitySettings['changes'], false>
