import { gunzipSync } from 'node:zlib'
import { epochMicroseconds } from '../../functions/documents/iso-8601.ts'
import { incrementFields } from '../../functions/runtime/settings-schema/increments.ts'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'

/** Whether documents have the dates by which increments find them. */
export interface ChangeDates {
  /** Documents that were read. */
  readonly documents: number
  /** The fields that none of them has. */
  readonly missing: readonly (typeof incrementFields)[number][]
  /** Whether one of them has a date in one of the fields. */
  readonly hasDate: boolean
  /** Fields whose times name no zone, so that they are read as UTC. */
  readonly withoutZone: readonly (typeof incrementFields)[number][]
}

/** Reads the last page of a snapshot: with partitions, the first one has the documents without a date. */
export async function readChangeDates(
  { pages }: Pick<Manifest, 'pages'>,
  readPage: (key: string) => Promise<Uint8Array | undefined>,
): Promise<ChangeDates | undefined> {
  const last = pages.findLast(({ documents }) => documents > 0)
  const body = last && (await readPage(last.key))
  return body && changeDatesOf(gunzipSync(body).toString())
}

function changeDatesOf(lines: string): ChangeDates {
  const documents = lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]))
  const valuesOf = (name: string) =>
    documents
      .flatMap((document) => Object.entries(document).filter(([key]) => key === name))
      .map(([, value]) => value)
  const values = incrementFields.map((name) => ({ name, values: valuesOf(name) }))
  return {
    documents: documents.length,
    missing: values.filter((field) => field.values.length === 0).map(({ name }) => name),
    hasDate: values.some((field) =>
      field.values.some((value) => typeof value === 'string' && epochMicroseconds(value) !== undefined),
    ),
    withoutZone: values.filter((field) => field.values.some(isWithoutZone)).map(({ name }) => name),
  }
}

const isWithoutZone = (value: unknown): boolean =>
  typeof value === 'string' &&
  /[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?$/.test(value) &&
  epochMicroseconds(value) !== undefined
