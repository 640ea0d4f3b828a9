import type { Pause } from '../../../stored/pause.ts'
import type { IncrementResult } from '../../../stored/run/increment-run.ts'
import { activeStatuses, endedStatuses, type Guard, guards } from '../../../stored/run/run.ts'
import type { EntityView, IncrementsView, RunView } from '../../../stored/views.ts'
import type { LastLook } from '../../problems/look-items.ts'
import type { Problem } from '../../problems/problem.ts'
import type { OpenApiSchema } from './schema-parts.ts'
import {
  countSchema,
  countsByName,
  enumSchema,
  flagSchema,
  incrementMembers,
  listSchema,
  objectOrNull,
  option,
  orNull,
  positive,
  proof,
  proofs,
  record,
  refOrNull,
  runId,
  schemaRef,
  text,
  time,
  uri,
} from './schema-parts.ts'

const entityMembers = {
  entity: text('Name of the data entity'),
  schedule: text('rate(…) or cron(…)'),
  timezone: text('Time zone of the schedule'),
  enabled: flagSchema('Whether the schedule is enabled'),
  pause: refOrNull('Pause'),
  running: refOrNull('Run'),
  snapshot: refOrNull('PublishedSnapshot'),
  runs: listSchema(
    schemaRef('Run'),
    'The last ten full syncs, newest first; in the list of all entities the last three, without skipped starts',
  ),
  increments: refOrNull('Increments'),
} satisfies Record<keyof EntityView, OpenApiSchema>

const pauseMembers = {
  by: text('Who paused it'),
  since: time('When it was paused'),
  reason: orNull(text('Why')),
  until: orNull(time('When it ends by itself; null if it lasts until someone resumes the entity')),
} satisfies Record<keyof Pause, OpenApiSchema>

const lookMembers = {
  problems: listSchema(
    schemaRef('SyncProblem'),
    'What needs a person, and notes, as of problemsAt: the most urgent first. `longshore status` looks for the same problems itself',
  ),
  problemsAt: orNull(
    time(
      'When the last look for problems ended, which is repeated every 5 minutes; null before the first one',
    ),
  ),
} satisfies Record<keyof LastLook, OpenApiSchema>

const problemMembers = {
  kind: text('Words joined by hyphens, such as run-failed. More kinds may be added'),
  level: enumSchema(['problem', 'note'], 'problem: it needs a person. note: a person may want to know'),
  since: orNull(time('When it began; null if nothing shows that')),
  evidence: text('What is known'),
  action: text('What to do'),
} satisfies Partial<Record<keyof Problem, OpenApiSchema>>

export const syncSchemas: Readonly<Record<string, OpenApiSchema>> = {
  Run: record('One execution of a sync.', {
    runId,
    entity: text('Name of the data entity'),
    kind: enumSchema(['full', 'increment'], 'increment: the run asked the platform only for what changed'),
    status: enumSchema(
      [...activeStatuses, ...endedStatuses],
      'running, waiting and publishing are active; the others are final.',
    ),
    startedAt: time('Start of the run'),
    updatedAt: time('Last progress'),
    endedAt: orNull(time('End of the run')),
    documents: countSchema('Documents received so far'),
    total: orNull(countSchema('Total that the platform reported')),
    percent: orNull({
      type: 'integer',
      minimum: 0,
      maximum: 100,
      description: 'Percentage of the total received',
    }),
    pages: countSchema('Pages received so far'),
    attempt: positive('Number of the current attempt; a failed proof starts another one'),
    suspect: flagSchema('Whether the outcome of any request in this attempt is unknown'),
    reason: orNull(text('Why the run is waiting or was not published')),
    documentsPerSecond: orNull({ type: 'number', minimum: 0, description: 'Rate of this attempt' }),
    secondsLeft: orNull(countSchema('Estimated seconds left at this rate')),
    uniqueIds: orNull(countSchema('Number of unique ids')),
    proof: orNull({ ...proof, enum: [...proofs, null] }),
    manifest: orNull(text('Key of the published manifest in the bucket')),
    repeatOf: orNull(
      text('The run that the schedule started and that this run repeats, because the platform was away'),
    ),
    republishedFrom: orNull(text('The run whose snapshot this run publishes again')),
    by: orNull(text('Who accepted the snapshot after a guard refused it')),
    refusedAt: orNull(time('When a guard refused the snapshot, before it was accepted')),
    faults: countsByName(1, 'Number of failed requests, by status or type of failure'),
    partitions: orNull(
      listSchema(
        schemaRef('RunPartition'),
        'Ranges of a partitioned entity; null if the run does not use ranges',
      ),
    ),
    increment: refOrNull('DeliveredIncrement'),
    wait: objectOrNull(
      record(
        'For what and since when the run waits, when it tries again, and when it gives up. Null if it does not wait.',
        {
          for: enumSchema(
            ['slot', 'platform'],
            'slot: for one of the slots that limit concurrent syncs or scrolls',
          ),
          since: time('Start of the wait'),
          until: time('Next try; a run that waits for a slot is woken earlier if one is free'),
          givesUpAt: orNull(time('When the run gives up if nothing changes until then; null if not known')),
        },
      ),
    ),
    partitionsReason: orNull(text('Why a partitioned entity is scrolled without ranges')),
  } satisfies Record<keyof RunView, OpenApiSchema>),
  DeliveredIncrement: record(
    'What an increment delivered.',
    incrementMembers satisfies Record<keyof IncrementResult, OpenApiSchema>,
  ),
  Pause: record('Why no schedule starts a run. Null if the entity is not paused.', pauseMembers),
  Increments: record('The increments of an entity. Null if they are not configured.', {
    schedule: text('rate(…) or cron(…)'),
    lookbackMinutes: countSchema('How many minutes before the end of the previous window each window begins'),
    window: objectOrNull(
      record('The window of the last successful increment.', {
        from: incrementMembers.from,
        to: incrementMembers.to,
      }),
    ),
    ageSeconds: orNull(countSchema('Time since the end of the last window')),
    recordsLastDay: countSchema('Records that increments published in the last day'),
    last: objectOrNull(
      record('The last increment.', {
        runId,
        status: enumSchema(['published', 'failed', 'skipped']),
        reason: orNull(text('Why it published nothing; null if it succeeded')),
        endedAt: time('End of the increment'),
      }),
    ),
  } satisfies Record<keyof IncrementsView, OpenApiSchema>),
  RunPartition: record('One range of a run, with its own scroll and proof.', {
    where: text('Filter of the range'),
    documents: countSchema('Documents received so far'),
    total: orNull(countSchema('Total that the platform reported for the range')),
    attempt: positive('Number of the attempt of this range'),
    suspect: flagSchema('Whether the outcome of any request in this attempt of the range is unknown'),
  }),
  SyncedEntity: record(
    'A data entity with its schedule, its runs and its published snapshot.',
    entityMembers,
    {
      tip: {
        ...refOrNull('PublishedTip'),
        description: 'Null without a change set; absent in the list of all entities',
      },
      table: {
        ...refOrNull('PublishedTable'),
        description: 'Null without a table; absent in the list of all entities',
      },
      problems: { ...lookMembers.problems, description: 'Its problems; absent in the list of all entities' },
      problemsAt: {
        ...lookMembers.problemsAt,
        description: 'When they were looked for; absent in the list of all entities',
      },
    },
  ),
  SyncedEntities: record(
    'All configured entities. The progress of a run in progress is updated about every 20 seconds.',
    { entities: listSchema(schemaRef('SyncedEntity')), ...lookMembers },
  ),
  SyncProblem: record('What needs a person, or what a person may want to know.', problemMembers, {
    entity: text('Name of the data entity; absent if it concerns the deployment as a whole'),
    command: text('The arguments after `longshore` of the command to run next; absent if none helps'),
  }),
  StartOptions: {
    type: 'object',
    properties: {
      acceptShrink: option(
        'Publish even if the snapshot has lost more than maxShrinkPercent of the documents of the previous one',
      ),
      acceptDeletes: option(
        'Publish the change set even if it deletes more than maxDeletePercent of the documents',
      ),
      increment: option('Publish only what has changed since the last window, instead of a full sync'),
    },
    additionalProperties: false,
  },
  AcceptOptions: {
    type: 'object',
    properties: {
      guard: enumSchema(
        guards,
        'snapshot: the run was refused because of its snapshot. changes: the run was published, and its change set was refused',
      ),
      withChanges: {
        type: 'boolean',
        description:
          'Only with snapshot: also publish its change set, unless it deletes documents that the review did not show',
      },
    },
    required: ['guard'],
    // Generators ignore `dependentSchemas`, and write a class for `not`.
    dependentSchemas: {
      withChanges: {
        anyOf: [
          { properties: { guard: { const: 'snapshot' satisfies Guard } } },
          { properties: { withChanges: { const: false } } },
        ],
      },
    },
    additionalProperties: false,
  },
  StartedRun: record('A started run. Its status can be read immediately.', {
    runId,
    entity: text('Name of the data entity'),
    statusUrl: uri('Absolute URL of the run'),
  }),
}
