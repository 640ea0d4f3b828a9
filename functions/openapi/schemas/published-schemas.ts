import type { Absences } from '../../../stored/run/split.ts'
import type { NamedObject } from '../../../stored/snapshots/manifest.ts'
import type { TableView, TipView } from '../../sync-api/published/published-entity.ts'
import type { OpenApiSchema } from './schema-parts.ts'
import {
  countSchema,
  countsByName,
  enumSchema,
  flagSchema,
  listSchema,
  orNull,
  positive,
  proof,
  record,
  runId,
  schemaRef,
  sha256,
  snapshotPages,
  text,
  time,
} from './schema-parts.ts'

const manifestMembers = {
  version: { type: 'integer', const: 1 },
  entity: text('Name of the data entity'),
  runId,
  startedAt: time('Start of the run'),
  openedAt: time('Time of the first response: the snapshot is as of this time'),
  finishedAt: time('Time when it was proven'),
  query: {
    type: 'object',
    // A generator for Java writes code that does not compile for a union of a text and a list.
    additionalProperties: { description: 'A text or a list of texts' },
    description: 'Extra query parameters of the scroll',
  },
  idField: text('Field that contains the id of a document'),
  pageSize: positive('Number of documents requested per page'),
  attempts: positive('Number of attempts'),
  documents: countSchema('Number of documents in all pages'),
  uniqueIds: countSchema('Number of unique ids'),
  reportedTotal: orNull(countSchema('Total that the platform reported')),
  proof,
  spent: record('What the run used.', {
    requests: countSchema('Requests to the platform, including the searches for ranges'),
    receivedBytes: countSchema('Size of the responses'),
    milliseconds: countSchema('Duration of the run'),
  }),
  pages: snapshotPages,
} satisfies Record<string, OpenApiSchema>

export const publishedSchemas: Readonly<Record<string, OpenApiSchema>> = {
  SnapshotPartition: record(
    'One range of a snapshot.',
    {
      where: text('Filter of the range'),
      documents: countSchema('Documents received'),
      reportedTotal: orNull(countSchema('Total that the platform reported for the range')),
      attempts: positive('Number of attempts of the range'),
    },
    {
      uniqueIds: countSchema('Number of unique ids of the range; absent from older snapshots'),
      proof: { ...proof, description: 'Why the range counts as complete; absent from older snapshots' },
    },
  ),
  PublishedSnapshot: record(
    'The last published snapshot.',
    {
      runId,
      manifest: text('Key of the manifest in the bucket'),
      publishedAt: time('Time of publication'),
      documents: countSchema('Number of documents'),
    },
    { sha256: sha256('the manifest; absent if an older release published it') },
  ),
  PublishedTip: record('The last change set of an entity.', {
    runId,
    manifest: text('Key of the manifest in the bucket'),
    sha256: orNull(sha256('the manifest; null if it cannot be read')),
  } satisfies Record<keyof TipView, OpenApiSchema>),
  PublishedTable: record('The typed table of an entity: the rows of one published snapshot.', {
    runId,
    rows: countSchema('Number of rows'),
    rejected: countsByName(
      0,
      'Number of values that are null in the table because they do not fit, by column',
    ),
    metadata: text("Key of the table's Iceberg metadata in the bucket"),
    committedAt: time('Time at which the table was published'),
  } satisfies Record<keyof TableView, OpenApiSchema>),
  Snapshot: record('The manifest of the published snapshot with a link to each page.', manifestMembers, {
    withoutId: countSchema('Documents without an id; absent if there are none'),
    republishedFrom: text('The run that the pages were copied from; only if a snapshot was published again'),
    evidence: record('The object with what the proof was decided from; absent from older snapshots.', {
      key: text('Key of the object in the bucket'),
      bytes: countSchema('Size of the object'),
      sha256: sha256('the object'),
    } satisfies Record<keyof NamedObject, OpenApiSchema>),
    next: text('Relative URL of the next pages; absent if there are no more'),
    partitions: listSchema(schemaRef('SnapshotPartition'), 'Only if the entity was scrolled in ranges'),
    partitionedBy: record('How the ranges were defined; only if the entity was scrolled in ranges.', {
      by: text('The field'),
      count: countSchema('Requested number of ranges'),
      boundaries: listSchema({ type: 'string' }, 'Values of the field between two ranges, ascending'),
      searchedAt: time('When the boundaries were last searched for'),
      areBest: flagSchema('True if that search found none that are better'),
      absences: enumSchema(
        ['proven', 'repeatable', 'unknown'] satisfies Absences[],
        'What it means if a document is missing. proven: it was deleted. repeatable: it was deleted if it is also missing from the next snapshot. unknown: nothing',
      ),
      overlapping: countSchema(
        'Documents that were in two ranges without being on a boundary; absent if there are none. The next run is not split',
      ),
    }),
  }),
}
