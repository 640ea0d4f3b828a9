import { hasTables, type PlantedBug } from './planted-bug.ts'

/** Bugs of tables. */
export const tableBugs = {
  'typed-table-unconditional': {
    breaks: 'typed-table-forward',
    file: 'functions/state/tables/tables.aws.ts',
    find: 'objects.putIf(tableLatestKey(entity), expected, jsonText(latest))',
    replace: 'objects.put(tableLatestKey(entity), jsonText(latest)).then(() => true)',
    seed: 665,
    showsIn: hasTables,
  },
  'typed-table-before-its-files': {
    breaks: 'typed-table-whole',
    file: 'functions/tables/commit/commit-table.ts',
    find: 'await tables.writeFile(list, manifestList({ snapshotId, ...nextSnapshot(metadata) }, manifests))',
    replace:
      'void tables.writeFile(list, manifestList({ snapshotId, ...nextSnapshot(metadata) }, manifests)).catch(() => {})',
    seed: 123,
    showsIn: hasTables,
  },
  'superseded-lines-of-another-chunk': {
    breaks: 'typed-table-recovers',
    file: 'functions/tables/plan/plan-table.ts',
    find: 'superseded.get(from + index)',
    replace: 'superseded.get(index)',
    seed: 851,
    showsIn: hasTables,
  },
  'earlier-drops-forgotten': {
    breaks: 'typed-table-kept',
    file: 'functions/tables/clean-up/dropped-runs.ts',
    find: '...dropped.filter((one) => isRecent(one, now)), ',
    replace: '',
    seed: 334,
    showsIn: hasTables,
  },
  'replaced-metadata-deleted': {
    breaks: 'typed-table-kept',
    file: 'functions/tables/clean-up/clean-up.ts',
    find: 'return [key, ...replaced, ...files.flat()]',
    replace: 'return [key, ...replaced.slice(1), ...files.flat()]',
    seed: 123,
    showsIn: hasTables,
  },
  'previous-table-not-kept': {
    breaks: 'typed-table-kept',
    file: 'functions/tables/commit/commit-table.ts',
    find: 'run === runs.at(-1) || (kept',
    replace: '(kept',
    seed: 364,
    showsIn: hasTables,
  },
  'failed-attempts-kept': {
    breaks: 'typed-table-cleaned',
    file: 'functions/tables/clean-up/clean-up.ts',
    find: 'own.every(isOld) ? own : []',
    replace: '[]',
    seed: 41,
    showsIn: hasTables,
  },
  'field-id-of-a-retyped-column': {
    breaks: 'typed-table-ids',
    file: 'functions/tables/iceberg/table-schema.ts',
    find: 'known && continues(known, column) ? known.id',
    replace: 'known ? known.id',
    seed: 1358,
    showsIn: hasTables,
  },
  'event-of-a-table-forgotten': {
    breaks: 'typed-table-recovers',
    file: 'functions/tables/finish-table.ts',
    find: 'latest.announced || (await announce(context, entity, latest))',
    replace: 'latest.glue?.state !== undefined && (await announce(context, entity, latest))',
    seed: 4,
    showsIn: hasTables,
  },
} as const satisfies Record<string, PlantedBug>
