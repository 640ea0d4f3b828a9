import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { CompareContext } from '../../../functions/compare/context.ts'
import { setsSince } from '../../../functions/state/changes/change-chain.ts'
import { type ChangesLatest, changesLatestKey, partKey } from '../../../functions/state/changes/changes.ts'
import {
  type Latest,
  latestKey,
  type Manifest,
  manifestKey,
} from '../../../functions/state/snapshots/manifest.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Plant } from './plant.ts'
import { duringCleanUp, unconditionalObjects } from './planting.ts'

/** Bugs of the comparison, of programs that read change sets, and of what the API tells them. */
export const changePlants = {
  /** A document is deleted because a snapshot that may be incomplete lacks it. */
  'delete-unproven': {
    breaks: 'changes-true',
    showsIn: ({ compares }) => compares,
    compare: withManifest((manifest) => ({ ...manifest, proof: 'exact' })),
  },
  /** Documents that are withheld again and again: the second absence is treated like the first. */
  'withheld-forever': {
    breaks: 'changes-true',
    showsIn: ({ compares }) => compares,
    compare: withheldAsPages,
  },
  /** The set does not list the documents that it withholds, so they are lost when they are back. */
  'withheld-lost': {
    breaks: 'changes-true',
    showsIn: ({ compares }) => compares,
    compare: (context) => ({
      ...context,
      changes: {
        ...context.changes,
        writeManifest: (manifest, expected) =>
          context.changes.writeManifest({ ...manifest, withheldParts: [] }, expected),
      },
    }),
  },
  /** A set lists its first part only. */
  'first-part-listed': {
    breaks: 'changes-true',
    showsIn: ({ scale }) => scale === 'heavy',
    compare: (context) => ({
      ...context,
      changes: {
        ...context.changes,
        writeManifest: (manifest, expected) =>
          context.changes.writeManifest({ ...manifest, parts: manifest.parts.slice(0, 1) }, expected),
      },
    }),
  },
  /** A reader that begins at a snapshot does not load its withheld documents. */
  'begin-without-withheld': {
    breaks: 'readers-follow',
    showsIn: ({ compares }) => compares,
    reader: { load: ({ snapshot }) => new Map(snapshot) },
  },
  /** Ids are compared by 64 bits of their hashes. */
  'ids-by-64-bits': {
    breaks: 'changes-true',
    showsIn: ({ collidingIds }) => collidingIds,
    equalIdHashBytes: 16,
  },
  /** Of several documents with one id the first counts. */
  'first-duplicate-counts': {
    breaks: 'changes-true',
    showsIn: ({ compares }) => compares,
    compare: withManifest((manifest) => ({ ...manifest, pages: manifest.pages.toReversed() })),
  },
  /** Documents with other bytes count as updated, although keys and escapes are all that differs. */
  'rewritten-is-updated': {
    breaks: 'changes-true',
    showsIn: ({ compares }) => compares,
    compare: withRecords(withRewritten),
  },
  /** Numbers are compared by value, so `1` and `1.0` are equal. */
  'numbers-by-value': {
    breaks: 'changes-true',
    showsIn: ({ compares }) => compares,
    compare: withRecords(({ records }) => records.filter((record) => !isOfEqualNumbers(record))),
  },
  /** A tip without its pages is compared as if it had no documents. */
  'expired-pages-are-empty': {
    breaks: 'recovers',
    showsIn: ({ drivers }) => drivers.deleteTip > 0,
    compare: (context, { s3 }) => ({
      ...context,
      snapshots: {
        ...context.snapshots,
        async readManifest(...run) {
          const manifest = await context.snapshots.readManifest(...run)
          const pages = manifest?.pages.filter(({ key }) => s3.objects.has(key)) ?? []
          const documents = pages.reduce((sum, page) => sum + page.documents, 0)
          return (
            manifest && { ...manifest, pages, documents, uniqueIds: Math.min(documents, manifest.uniqueIds) }
          )
        },
      },
    }),
  },
  /** A changed query goes unnoticed. */
  'query-change-unnoticed': {
    breaks: 'changes-true',
    showsIn: ({ compares, drivers }) => compares && drivers.redeploy > 0,
    compare: withManifest((manifest) => ({ ...manifest, query: {} })),
  },
  /** The chain continues although change sets were off. */
  'off-unnoticed': {
    breaks: 'changes-true',
    showsIn: ({ compares, drivers }) => compares && drivers.redeploy > 0.2,
    compare: (context) => ({
      ...context,
      changes: {
        ...context.changes,
        async readLatest(entity) {
          const chain = await context.changes.readLatest(entity)
          return chain && { ...chain, value: { ...chain.value, reset: null } }
        },
      },
    }),
  },
  /** A reader whose place has expired gets the sets that are left, in place of a 410. */
  'cursor-too-old': {
    breaks: 'readers-follow',
    showsIn: ({ compares }) => compares,
    reader: { setsSince: (chain, since) => setsSince(chain, since) ?? chain.sets },
  },
  /** A reader that misses one set. */
  'cursor-too-new': {
    breaks: 'readers-follow',
    showsIn: ({ compares }) => compares,
    reader: { setsSince: (chain, since) => setsSince(chain, since)?.slice(1) },
  },
  /** A reader appends the documents of records, so a set that is applied twice counts twice. */
  'set-applied-twice': {
    breaks: 'readers-follow',
    showsIn: ({ compares }) => compares,
    reader: {
      apply(documents, { op, identity, index }) {
        if (op === 'd') documents.delete(identity)
        else documents.set(documents.has(identity) && op === 'c' ? -identity - 1 : identity, index)
      },
    },
  },
  /** Two comparisons at the same time both publish their sets. */
  'chain-unconditional': {
    breaks: 'chain-forward',
    showsIn: ({ compares }) => compares,
    command: unconditionalObjects((key) => key === changesLatestKey(key.split('/')[1] ?? '')),
  },
  /** The guard compares numbers of documents, so that new documents hide deleted ones. */
  'guard-by-count': {
    breaks: 'deletes-guarded',
    showsIn: ({ compares }) => compares,
    entities: (entities, sim) =>
      entities.map(({ changes, ...entity }) => ({
        ...entity,
        changes:
          changes && hasAtLeastAsMany(sim, entity.name) ? { ...changes, maxDeletePercent: 100 } : changes,
      })),
  },
  /** The clean-up deletes the withheld documents of the tip with those of older sets. */
  'tip-cleaned-up': {
    breaks: 'sets-whole',
    showsIn: ({ compares }) => compares,
    compare: (context) => ({
      ...context,
      changes: {
        ...context.changes,
        async deleteKeys(keys) {
          const all: string[] = []
          for (const entity of ['CL', 'AD']) {
            const tip = (await context.changes.readLatest(entity))?.value.tip
            for await (const key of context.changes.listKeys(entity))
              if (tip && key.includes(tip) && key.includes('/withheld-')) all.push(key)
          }
          await context.changes.deleteKeys([...keys, ...all])
        },
      },
    }),
  },
  /** The publication after next deletes the snapshot that the next comparison starts from. */
  'tip-not-kept': {
    breaks: 'changes-true',
    showsIn: ({ compares }) => compares,
    world: (world) => ({ ...world, snapshots: { ...world.snapshots, readTip: async () => undefined } }),
  },
  /** The clean-up deletes the snapshot that a comparison in progress is about to make the tip. */
  'comparison-in-progress-ignored': {
    breaks: 'chain-forward',
    showsIn: ({ drivers }) => drivers.slowCompare > 0,
    world: duringCleanUp((state) => async (...name) => {
      const run = await state.readRun(...name)
      return run?.status === 'published' ? { ...run, endedAt: run.startedAt.replace(/^\d+/, '2000') } : run
    }),
  },
} as const satisfies Record<string, Plant>

function withManifest(change: (manifest: Manifest) => Manifest): NonNullable<Plant['compare']> {
  return (context) => ({
    ...context,
    snapshots: {
      ...context.snapshots,
      async readManifest(...run) {
        const manifest = await context.snapshots.readManifest(...run)
        return manifest && change(manifest)
      },
    },
  })
}

/** The withheld parts of the tip become pages of its snapshot. */
function withheldAsPages(context: CompareContext): CompareContext {
  return {
    ...context,
    changes: {
      ...context.changes,
      async readManifest(...run) {
        const set = await context.changes.readManifest(...run)
        return set && { ...set, value: { ...set.value, withheldParts: [] } }
      },
    },
    snapshots: {
      ...context.snapshots,
      async readManifest(...run) {
        const manifest = await context.snapshots.readManifest(...run)
        const set = await context.changes.readManifest(...run)
        const withheld = (set?.value.withheldParts ?? []).map(({ records, ...part }) => ({
          ...part,
          documents: records,
        }))
        const documents = withheld.reduce((sum, part) => sum + part.documents, manifest?.documents ?? 0)
        return manifest && { ...manifest, documents, pages: [...manifest.pages, ...withheld] }
      },
    },
  }
}

interface Compared {
  readonly records: readonly string[]
  /** The lines of the documents with an id, in the base and in the target. */
  readonly before: ReadonlyMap<string, string>
  readonly after: ReadonlyMap<string, string>
}

/** Publishes other records than the comparison found. */
function withRecords(change: (compared: Compared) => readonly string[]): NonNullable<Plant['compare']> {
  return (context, sim) => ({
    ...context,
    changes: {
      ...context.changes,
      async writeManifest(manifest, expected) {
        if (manifest.kind !== 'changes') return context.changes.writeManifest(manifest, expected)
        const { entity, runId, base, idField } = manifest
        const lines = (run: string) => linesById(sim, { entity, runId: run, idField })
        const found = manifest.parts.flatMap(({ key }) => linesOf(sim, key))
        const records = change({ records: found, before: lines(base), after: lines(runId) })
        const body = gzipSync(Buffer.from(records.map((line) => `${line}\n`).join(''), 'latin1'))
        const sha256 = createHash('sha256').update(body).digest('hex')
        const key = partKey({ entity, runId }, 'records', sha256)
        await context.changes.writePart(key, body, sha256)
        const parts = [{ key, records: records.length, bytes: body.length, sha256 }]
        const updated = records.filter((line) => line.startsWith('{"op":"u"')).length
        return context.changes.writeManifest({ ...manifest, updated, parts }, expected)
      },
    },
  })
}

/** All rewritten documents become updates. */
function withRewritten({ records, before, after }: Compared): string[] {
  const rewritten = [...after].flatMap(([id, line]) => {
    const old = before.get(id)
    const isRecord = records.some((record) => record.includes(line))
    return old === undefined || old === line || isRecord
      ? []
      : [`{"op":"u","id":${id},"before":${old},"after":${line}}`]
  })
  return [...records, ...rewritten]
}

/** Of the documents whose versions differ by a number's text only. */
const isOfEqualNumbers = (record: string) =>
  /"one": ?1\s*[,}].*"one": ?1\.0\s*[,}]/s.test(record) ||
  /"one": ?1\.0\s*[,}].*"one": ?1\s*[,}]/s.test(record)

function linesById(
  { s3 }: Surroundings,
  { entity, runId, idField }: { entity: string; runId: string; idField: string },
): Map<string, string> {
  const { pages } = json<Manifest>(s3, manifestKey(entity, runId)) ?? { pages: [] }
  const lines = pages.flatMap(({ key }) => linesOf({ s3 }, key))
  return new Map(
    lines.flatMap((line) => {
      const id = (JSON.parse(line) as Record<string, unknown>)[idField]
      return typeof id === 'string' ? [[JSON.stringify(id), line] as const] : []
    }),
  )
}

/** In latin1. */
function linesOf({ s3 }: Pick<Surroundings, 's3'>, key: string): string[] {
  const body = s3.objects.get(key)?.body
  return body ? gunzipSync(body).toString('latin1').split('\n').slice(0, -1) : []
}

function json<T>({ objects }: Surroundings['s3'], key: string): T | undefined {
  const object = objects.get(key)
  return object && (JSON.parse(object.body.toString()) as T)
}

function hasAtLeastAsMany({ s3 }: Surroundings, entity: string): boolean {
  const { documents = 0 } = json<Latest>(s3, latestKey(entity)) ?? {}
  const { tip = '' } = json<ChangesLatest>(s3, changesLatestKey(entity)) ?? {}
  return documents >= (json<Manifest>(s3, manifestKey(entity, tip))?.documents ?? 0)
}
