import type { OpenApiSchema } from './schema-parts.ts'
import {
  andOthers,
  countSchema,
  incrementMembers,
  listSchema,
  objectMembers,
  orNull,
  proof,
  record,
  runId,
  sha256,
  snapshotPages,
  text,
} from './schema-parts.ts'

const idSum: OpenApiSchema = {
  type: 'string',
  pattern: '^[0-9a-f]{32}$',
  description:
    'Sum modulo 2^128 of the id hashes of all documents of the state. An id hash is the first 128 bits of the SHA-256 of the JSON of the id (a string without unnecessary escapes), or of the document if it has no id',
}

const partMembers = objectMembers({ records: countSchema('Number of lines') })
const part = record('An object in the bucket: gzip, one record per line.', partMembers)
const withheldPart = record('An object in the bucket: gzip, one document per line.', {
  ...partMembers,
  countedAbsences: {
    type: 'integer',
    enum: [0, 1],
    description:
      'How many consecutive absences of these documents have been counted; after two they are deleted',
  },
})

const stateMembers = {
  idField: text('Field that contains the id of a document'),
  stateDocuments: countSchema(
    'Documents of the state: those of the snapshot, counted once per id, and the withheld ones',
  ),
  stateIdSum: idSum,
}

const hashes = {
  snapshotSha256: sha256("the snapshot's manifest; absent if an older release published it"),
  baseSha256: sha256('the manifest of the base; absent from older sets'),
}

const recordSums = {
  recordsIdSum: { ...idSum, description: 'As stateIdSum, of its records; absent from older sets' },
  recordsContentSum: { ...idSum, description: 'The same of its documents in canonical form' },
}

const setMembers = {
  version: { type: 'integer', const: 1 },
  entity: text('Name of the data entity'),
  runId: { ...runId, description: 'The run whose snapshot the set leads to' },
  base: { ...runId, description: 'The run whose state the set starts from' },
  kind: { type: 'string', const: 'changes' },
  ignore: listSchema({ type: 'string' }, 'Top-level fields whose changes are ignored'),
  snapshot: text("Key of the snapshot's manifest"),
  manifest: text("Key of the set's manifest"),
  created: countSchema('Created documents'),
  updated: countSchema('Updated documents'),
  deleted: countSchema('Deleted documents'),
  unchanged: countSchema('Documents with the same bytes'),
  rewritten: countSchema('Documents whose bytes changed but whose content did not'),
  withheld: countSchema('Documents that are missing from the snapshot and not yet deleted'),
  baseDocuments: countSchema('Documents of the state before the set'),
  ...stateMembers,
  parts: listSchema(part, 'The records; a set with more than 1,000 parts continues in the next response'),
} satisfies Record<string, OpenApiSchema>

const incrementSetMembers = {
  version: setMembers.version,
  entity: setMembers.entity,
  runId: { ...runId, description: 'The run of the increment' },
  base: setMembers.base,
  kind: { type: 'string', const: 'increment' },
  idField: stateMembers.idField,
  ignore: setMembers.ignore,
  snapshot: text('Key of the manifest of the snapshot from which new readers start'),
  manifest: setMembers.manifest,
  ...incrementMembers,
  proof,
  stateDocuments: { type: ['integer', 'null'], description: 'Null: unknown until the next full set' },
  stateIdSum: { type: ['string', 'null'], description: 'Null: unknown until the next full set' },
  parts: setMembers.parts,
} satisfies Record<string, OpenApiSchema>

const snapshot = record(
  'The state at the tip: a snapshot, plus the withheld documents and the documents of increments, which the snapshot does not contain. After an increment, `stateDocuments` and `stateIdSum` are null.',
  {
    runId,
    manifest: text("Key of the snapshot's manifest"),
    documents: countSchema('Documents in all pages'),
    uniqueIds: countSchema('Unique ids in all pages'),
    proof,
    idField: stateMembers.idField,
    stateDocuments: orNull(stateMembers.stateDocuments),
    stateIdSum: orNull(stateMembers.stateIdSum),
  },
)

export const changesSchemas: Readonly<Record<string, OpenApiSchema>> = {
  Changes: {
    type: 'object',
    ...andOthers,
    description:
      'The change sets after a run. Without `since`: no sets, but the snapshot to start from and the withheld documents.',
    required: ['entity', 'tip', 'snapshot', 'sets'],
    properties: {
      entity: text('Name of the data entity'),
      tip: { ...runId, description: 'The run of the last set' },
      snapshot: {
        ...snapshot,
        properties: {
          ...(snapshot['properties'] as object),
          pages: {
            ...snapshotPages,
            description: 'Only without `since`. None if the last response has only the other parts',
          },
        },
      },
      withheldParts: listSchema(
        withheldPart,
        'Only without `since`: the withheld documents. Empty while there is a `next`. Apply them after all pages',
      ),
      incrementParts: listSchema(
        part,
        'Only without `since`, and only if increments have extended the chain since the snapshot: their records. Empty while there is a `next`. Apply them after withheldParts',
      ),
      sets: {
        type: 'array',
        items: {
          anyOf: [
            record(
              'A change set. Apply the sets in order; within a set the order does not matter.',
              setMembers,
              hashes,
            ),
            record(
              'The change set of an increment. Its records have the op r. Apply them like records with the op c.',
              incrementSetMembers,
              { ...hashes, ...recordSums },
            ),
          ],
        },
      },
      next: text('Relative URL of the next response; absent if there is none'),
    },
  },
}

const base = '20260301T060000000Z-0123456789ab'
const tip = '20260302T060000000Z-0123456789ab'
const key = `changes/CL/${tip}/records-9f86d081884c7d659a2feaa0c55ad015.ndjson.gz`
const state = { idField: 'id', stateDocuments: 1001, stateIdSum: '0f5d3c8e1b7a4f2296d1c0e8a7b35d41' }

export const changesExample = {
  entity: 'CL',
  tip,
  snapshot: {
    runId: tip,
    manifest: `snapshots/CL/${tip}/manifest.json`,
    documents: 1001,
    uniqueIds: 1001,
    proof: 'exact',
    ...state,
  },
  sets: [
    {
      version: 1,
      entity: 'CL',
      runId: tip,
      base,
      kind: 'changes',
      ignore: [],
      snapshot: `snapshots/CL/${tip}/manifest.json`,
      manifest: `changes/CL/${tip}/manifest.json`,
      created: 2,
      updated: 1,
      deleted: 1,
      unchanged: 998,
      rewritten: 0,
      withheld: 0,
      baseDocuments: 1000,
      ...state,
      parts: [
        {
          key,
          records: 4,
          bytes: 1_420,
          sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
          link: `https://bucket.example.com/${key}?X-Amz-Expires=900`,
        },
      ],
    },
  ],
} as const
