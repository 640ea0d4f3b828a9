import type { Schema } from '../openapi-form.ts'
import { count, link, proof, proofs, record, runId, sha256, snapshotPages, text } from './schema-parts.ts'

const idSum: Schema = {
  type: 'string',
  pattern: '^[0-9a-f]{32}$',
  description:
    'Sum modulo 2^128 of the id hashes of the state. An id hash is the first 128 bits of the SHA-256 of the JSON of the id (a string without escapes that it does not need), or of the document if it has no id',
}

const partMembers = {
  key: text('Key in the bucket'),
  records: count('Number of lines'),
  bytes: count('Size of the object'),
  sha256,
  link,
}
const part = record('An object in the bucket: gzip, one record in each line.', partMembers)
const withheldPart = record('An object in the bucket: gzip, one document in each line.', {
  ...partMembers,
  countedAbsences: {
    type: 'integer',
    enum: [0, 1],
    description: 'Absences that count towards the deletion of these documents; two in a row delete them',
  },
})

const stateMembers = {
  idField: text('Field that contains the id of a document'),
  stateDocuments: count('Documents of the state: those of the snapshot, each id once, and the withheld ones'),
  stateIdSum: idSum,
}

const setMembers = {
  version: { type: 'integer', const: 1 },
  entity: text('Name of the data entity'),
  runId: { ...runId, description: 'The run whose snapshot the set ends at' },
  base: { ...runId, description: 'The run whose state the set starts from' },
  kind: { type: 'string', const: 'changes' },
  ignore: { type: 'array', items: { type: 'string' }, description: 'Top-level fields that do not count' },
  snapshot: text("Key of the snapshot's manifest"),
  manifest: text("Key of the set's manifest"),
  created: count('Created documents'),
  updated: count('Updated documents'),
  deleted: count('Deleted documents'),
  unchanged: count('Documents with the same bytes'),
  rewritten: count('Documents with other bytes and the same content'),
  withheld: count('Documents that are missing from the snapshot and not yet deleted'),
  baseDocuments: count('Documents of the state before the set'),
  ...stateMembers,
  parts: {
    type: 'array',
    items: part,
    description: 'The records; a set with more than 1,000 parts continues in the next answer',
  },
} satisfies Record<string, Schema>

const snapshot = record('The state at the tip: a snapshot and the documents withheld beyond it.', {
  runId,
  manifest: text("Key of the snapshot's manifest"),
  documents: count('Documents in all pages'),
  uniqueIds: count('Unique ids in all pages'),
  proof: { ...proof, enum: proofs },
  ...stateMembers,
})

export const changesSchemas: Readonly<Record<string, Schema>> = {
  Changes: {
    type: 'object',
    description:
      'The change sets after a run. Without since: no sets, but the snapshot to begin with and the documents that are withheld beyond it.',
    required: ['entity', 'tip', 'snapshot', 'sets'],
    properties: {
      entity: text('Name of the data entity'),
      tip: { ...runId, description: 'The run whose snapshot the last set ends at' },
      snapshot: {
        ...snapshot,
        properties: {
          ...(snapshot['properties'] as object),
          pages: { ...snapshotPages, description: 'Without since: at most 1,000 pages' },
        },
      },
      withheldParts: {
        type: 'array',
        items: withheldPart,
        description: 'Without since: the withheld documents',
      },
      sets: {
        type: 'array',
        items: record(
          'A change set. Apply the sets in order; within a set the order does not matter.',
          setMembers,
        ),
      },
      next: text('Relative URL of the following answer; absent if there is none'),
    },
  },
}

const base = '20260301T060000000Z-0123456789ab'
const tip = '20260302T060000000Z-0123456789ab'
const key = `changes/CL/${tip}/records-9f86d081884c7d659a2feaa0c55ad015.ndjson.gz`
const state = {
  idField: 'id',
  stateDocuments: 1001,
  stateIdSum: '0f5d3c8e1b7a4f2296d1c0e8a7b35d41',
}

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
