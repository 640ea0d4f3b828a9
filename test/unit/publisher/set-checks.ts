import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { Damaged } from '../../../functions/publisher/check/damage.ts'
import type { Publisher } from '../../../functions/publisher/ports.ts'
import type { SetRules } from '../../../functions/publisher/set/changes-to-check.ts'
import type { Exchange } from '../../../functions/upstream/recorded-exchange.ts'
import type { ChangePart } from '../../../stored/changes/changes.ts'
import type { IncrementEvidence } from '../../../stored/changes/proposal.ts'

export const rules: SetRules = {
  idField: 'id',
  query: {},
  ignore: [],
  maxDeletePercent: Number.POSITIVE_INFINITY,
  increments: { lookbackMinutes: 60, totals: 'check', totalTolerancePercent: 1 },
}

interface StoredObject {
  readonly body: Buffer
  readonly etag?: string
}
export type Bucket = Map<string, StoredObject>

/** The lines of these parts. */
export const linesOf = (bucket: Bucket, ...parts: readonly ChangePart[]): string[] =>
  parts.flatMap(({ key }) =>
    String(gunzipSync(bucket.get(key)?.body ?? ''))
      .split('\n')
      .slice(0, -1),
  )

/** Stores bytes, and returns what a manifest has of them. */
export function store(bucket: Bucket, key: string, body: Buffer) {
  bucket.set(key, { body })
  return { key, bytes: body.length, sha256: hash('sha256', body) }
}

/** Stores lines as a part. */
export const storePart = (bucket: Bucket, key: string, lines: readonly string[]): ChangePart => ({
  ...store(bucket, key, gzipSync(lines.map((line) => `${line}\n`).join(''))),
  records: lines.length,
})

/** Why a set is not published. */
export async function damageOf(checked: Promise<unknown>): Promise<string> {
  const error = await checked.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(Damaged)
  return (error as Error).message
}

/** A result, or the pattern of a reason, also of an error. */
export function expectAs(check: () => unknown, expected: unknown): void {
  let result: unknown
  try {
    result = check()
  } catch (error) {
    result = (error as Error).message
  }
  const isAsExpected = expected instanceof RegExp ? expected.test(String(result)) : result === expected
  expect([result, isAsExpected]).toEqual([result, true])
}

/** The publisher on the objects of a bucket. What it writes is kept apart. */
export function publisherOf(bucket: Bucket, endsAt = Number.POSITIVE_INFINITY): Publisher {
  const own: Bucket = new Map()
  const all = () => new Map([...bucket, ...own])
  const stored = ({ body, etag = hash('sha256', body) }: StoredObject) => ({ bytes: body, etag })
  return {
    items: {
      readRun: async () => undefined,
      readIncrement: async () => undefined,
      readAcceptedChanges: async () => undefined,
      readPages: async () => [],
    },
    objects: {
      name: 'bucket',
      read: async (key) => {
        const found = all().get(key)
        return found && stored(found)
      },
      async *list(prefix) {
        for (const [key, object] of [...all()].toSorted(([one], [other]) => (one < other ? -1 : 1)))
          if (key.startsWith(prefix)) yield { key, bytes: object.body.length, etag: stored(object).etag }
      },
      putIf: async () => false,
      put: async (key, { body }) => void own.set(key, { body: Buffer.from(body) }),
    },
    entities: [],
    log: () => undefined,
    now: Date.now,
    endsAt,
  }
}

const filterOf = ({ from, to }: { from: string; to: string }) =>
  `((updatedIn between ${from} AND ${to}) OR (createdIn between ${from} AND ${to}))`

/** What an honest worker records of a window that had these documents. */
export function evidenceOf(
  set: { readonly from: string; readonly to: string },
  uniqueIds: number,
  change: Partial<IncrementEvidence> = {},
): IncrementEvidence {
  const at = Date.parse(set.to)
  const request = `/api/dataentities/CL/scroll?_size=2&_where=${encodeURIComponent(filterOf(set))}`
  const page: Exchange = { at, status: 200, bodyBytes: 9, total: String(uniqueIds) }
  const end: Exchange = { at, status: 200, bodyBytes: 2, details: { headers: {}, body: '[]' } }
  const received = { request, exchanges: [page], bodySha256: '', spaceBytes: 0, replacesLineBreaks: false }
  const scroll = {
    pages: uniqueIds > 0 ? [{ page: 1, documents: uniqueIds, received }] : [],
    end: {
      page: uniqueIds > 0 ? 2 : 1,
      received: { request, exchanges: [uniqueIds > 0 ? end : { ...end, total: '0' }] },
    },
    uniqueIds,
    idSum: 'ids',
    suspect: false,
  }
  const headers = { date: new Date(at).toUTCString() }
  return {
    clock: { at, status: 200, bodyBytes: 2, details: { headers, body: '[]' } },
    equal: 0,
    scrolls: [scroll],
    ...change,
  }
}
