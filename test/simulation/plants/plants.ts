import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { Lease } from '../../../functions/state/lease/lease.ts'
import type { CommittedPage } from '../../../functions/state/pages/page.ts'
import { hasEnded } from '../../../functions/state/run/run.ts'
import { latestKey, tableKey } from '../../../functions/state/snapshots/manifest.ts'
import type { StepContext } from '../../../functions/worker/context.ts'
import { isTolerant, longOutage } from '../scenario.ts'
import { changePlants } from './change-plants.ts'
import type { Plant } from './plant.ts'
import { unconditional, withRanges, withState, withWrites } from './planting.ts'
import { rangePlants } from './range-plants.ts'
import { recoveryPlants } from './recovery-plants.ts'
import { responsePlants } from './response-plants.ts'

export const plants = {
  ...changePlants,
  ...recoveryPlants,
  ...rangePlants,
  ...responsePlants,
  /** Any count proves the attempt. */
  'believe-every-count': {
    breaks: 'snapshot-complete',
    world: withState((state) => ({
      commitEnd: (attempt, end, now) => {
        end = { ...end, total: end.documentsSoFar }
        return state.commitEnd(attempt, end, now)
      },
    })),
  },
  /** Documents are parsed and serialized again. */
  'reserialize-documents': {
    breaks: 'snapshot-complete',
    world: withLines((lines) => lines.map((line) => JSON.stringify(JSON.parse(line)))),
  },
  /** The last line of a page is lost before it is stored. */
  'lose-a-line': { breaks: 'proof-true', world: withLines((lines) => lines.slice(0, -1)) },
  /** Ids are compared by their bytes instead of their values, so equal ids count as different. */
  'count-every-document': {
    breaks: 'proof-true',
    world: withState((state, sim) => ({
      commitPage: (run, page, now) => {
        const fingerprints = Buffer.from(page.fingerprints)
        for (let at = 0; at < fingerprints.length; at += 8) fingerprints.writeUInt32LE(sim.serial(), at)
        return state.commitPage(run, { ...page, fingerprints }, now)
      },
    })),
  },
  /** The manifest keeps a repeated page in place of the next one. */
  'keep-repeated-pages': {
    breaks: 'proof-true',
    world: withState((state) => ({
      async *pages(attempt) {
        let before: CommittedPage | undefined
        for await (const page of state.pages(attempt)) {
          const { documents, fingerprints } = page
          yield before?.documents === documents ? { ...before, fingerprints } : page
          before = page
        }
      },
    })),
  },
  /** Two workers may commit the same page. */
  'commit-unconditionally': {
    breaks: 'write-once',
    table: unconditional(({ pk }) => pk.startsWith('run#')),
  },
  /** A page is committed before its object is stored. */
  'commit-before-object': {
    breaks: 'pages-whole',
    world: (world) => ({
      ...world,
      snapshots: {
        ...world.snapshots,
        putPage: async (...page) => void world.snapshots.putPage(...page).catch(() => {}),
      },
    }),
  },
  /** The pages of all attempts of a run have the same names. */
  'shared-object-names': {
    breaks: 'write-once',
    world: (world) => ({ ...world, uniqueName: () => 'same' }),
  },
  /** An older latest.json is written late and without a condition. */
  'latest-backwards': {
    breaks: 'latest-forward',
    world: (world, sim) => ({
      ...world,
      snapshots: {
        ...world.snapshots,
        async moveLatest(entity, latest, read) {
          const before = sim.s3.objects.get(latestKey(entity))
          const moved = await world.snapshots.moveLatest(entity, latest, read)
          if (before) {
            const Key = latestKey(entity)
            sim.s3.execute(new PutObjectCommand({ Bucket: 'snapshots', Key, Body: before.body }))
          }
          return moved
        },
      },
    }),
  },
  /** Only the first publication updates the Athena table. */
  'table-forgotten': {
    breaks: 'table-follows',
    world: (world, sim) => ({
      ...world,
      snapshots: {
        ...world.snapshots,
        async moveTable(entity, manifest) {
          if (!sim.s3.objects.has(tableKey(entity))) await world.snapshots.moveTable(entity, manifest)
        },
      },
    }),
  },
  /** A publication that was frozen lists its own pages late and without a condition. */
  'table-backwards': {
    breaks: 'table-follows',
    world: (world, sim) => ({
      ...world,
      snapshots: {
        ...world.snapshots,
        async moveTable(entity, manifest) {
          const before = sim.s3.objects.get(tableKey(entity))
          await world.snapshots.moveTable(entity, manifest)
          const Key = tableKey(entity)
          if (before) sim.s3.execute(new PutObjectCommand({ Bucket: 'snapshots', Key, Body: before.body }))
        },
      },
    }),
  },
  /** The clean-up keeps only the newest snapshot. */
  'cleanup-too-much': {
    breaks: 'pages-whole',
    world: (world) => ({
      ...world,
      snapshots: {
        ...world.snapshots,
        async deleteKeys(keys) {
          await world.snapshots.deleteKeys(keys)
          const [, entity = ''] = keys[0]?.split('/') ?? []
          const latest = (await world.snapshots.readLatest(entity))?.value
          if (!latest) return
          const old: string[] = []
          for await (const key of world.snapshots.listKeys(`snapshots/${entity}/`)) {
            if (!key.endsWith('latest.json') && !key.includes(latest.runId)) old.push(key)
          }
          await world.snapshots.deleteKeys(old)
        },
      },
    }),
  },
  /** The guard compares with no published snapshot. */
  'forget-what-was-published': {
    breaks: 'guards-hold',
    world: (world) => ({ ...world, snapshots: { ...world.snapshots, readLatest: async () => undefined } }),
  },
  /** The lease of a crashed worker never expires. */
  'lease-never-expires': {
    breaks: 'recovers',
    world: withState((state) => {
      const real = new WeakMap<Lease, Lease>()
      return {
        readEntity: async (entity) => {
          const { lease, ...found } = await state.readEntity(entity)
          if (!lease) return found
          const endless = { ...lease, until: Number.MAX_SAFE_INTEGER }
          real.set(endless, lease)
          return { ...found, lease: endless }
        },
        claimLease: (entity, seen, lease) => {
          const found = seen.lease && (real.get(seen.lease) ?? seen.lease)
          return state.claimLease(entity, found ? { ...seen, lease: found } : seen, lease)
        },
      }
    }),
  },
  /** A worker never checks whether it still has the run. */
  'lease-ignored': {
    breaks: 'one-run-writes',
    world: withState(() => ({ renewLease: async () => {} })),
  },
  /** The number of concurrent syncs is not limited. */
  'slots-ignored': {
    breaks: 'slots-held',
    world: withState(() => ({ takeSlot: async () => true, renewSlot: async () => true })),
  },
  /** A worker writes the slots although another one has written them since it read them. */
  'slots-overwritten': {
    breaks: 'slots-held',
    table: unconditional(({ pk }) => pk === 'slots'),
  },
  /** One scroll more than allowed gets a slot. */
  'one-scroll-too-many': {
    breaks: 'slots-limited',
    world: withState((state) => ({
      takeScrollSlot: (slot, count, times) => state.takeScrollSlot(slot, count + 1, times),
    })),
  },
  /** A run that did not publish has no reason. */
  'end-without-reason': {
    breaks: 'end-is-true',
    world: withState((state) => ({
      writeRun: (run) => state.writeRun(Object.assign(run, { reason: undefined })),
    })),
  },
  /** A run becomes published as soon as it is proven. */
  'published-too-early': {
    breaks: 'end-is-true',
    world: withState((state) => ({
      writeRun: (run) =>
        state.writeRun(
          run.status === 'publishing'
            ? { ...run, status: 'published' as const, endedAt: run.updatedAt }
            : run,
        ),
    })),
  },
  /** Each worker starts with a new retry budget. */
  'never-gives-up': {
    breaks: 'ends-in-time',
    scenario: (drawn) => ({ ...longOutage(drawn), entities: drawn.entities.slice(0, 1) }),
    world: withState((state) => ({
      writeRun: (run) =>
        state.writeRun(
          withRanges(run, (range) =>
            range.state === 'proven' ? range : { ...range, retryState: undefined },
          ),
        ),
    })),
  },
  /** The end of a run does not release its lease. */
  'run-left-open': {
    breaks: 'end-is-true',
    world: withState((state) => ({
      writeRun: (run) => (hasEnded(run) ? Promise.resolve(run) : state.writeRun(run)),
    })),
  },
  /** Every page is requested with the first token. */
  'keep-the-first-token': {
    breaks: 'recovers',
    world: (world) => ({
      ...world,
      upstream: {
        ...world.upstream,
        async send(request) {
          const response = await world.upstream.send(request)
          if (!request.target.includes('_token=')) return response
          const { 'x-svc-md-token': _newer, ...headers } = response.headers
          return { ...response, headers }
        },
      },
    }),
  },
  /** A malformed document crashes the worker. */
  'throw-what-has-a-name': {
    breaks: 'worker-crashed',
    world: (world) => ({
      ...world,
      compress: async (bytes) => {
        if (bytes.includes('number 24 ')) throw new TypeError('a mistake of the worker’s')
        return world.compress(bytes)
      },
    }),
  },
  /** Every earlier attempt counts as clean, with whatever number of documents proves this one. */
  'any-count-vouches': {
    breaks: 'proof-true',
    world: withState((state) => ({
      writeRun: (run) =>
        state.writeRun(
          withRanges(run, (range) => ({
            ...range,
            cleanCounts: Array.from({ length: 1000 }, (_, count) => count),
          })),
        ),
    })),
  },
  /** Items expire after 12 hours. */
  'items-expire-early': {
    breaks: 'items-last',
    table: withWrites((write) => {
      if (write.kind !== 'put' || write.item['expiresAt'] === undefined) return write
      const expiresAt = Number(write.item['expiresAt']) - (30 * 24 - 12) * 3600
      return { ...write, item: { ...write.item, expiresAt } }
    }),
  },
  /** A manifest states the deployed query in place of the one that was scrolled. */
  'manifest-states-deployed-query': {
    breaks: 'proof-true',
    world: (world) => ({
      ...world,
      snapshots: {
        ...world.snapshots,
        putManifest: (manifest) => {
          const entity = world.settings.entities.find(({ name }) => name === manifest.entity)
          return world.snapshots.putManifest({ ...manifest, query: entity?.query ?? {} })
        },
      },
    }),
  },
  /** A manifest states when its publication began as the time of its first page. */
  'manifest-opened-late': {
    breaks: 'proof-true',
    world: (world) => ({
      ...world,
      snapshots: {
        ...world.snapshots,
        putManifest: (manifest) =>
          world.snapshots.putManifest({
            ...manifest,
            openedAt: new Date(world.now() + 1_000_000).toISOString(),
          }),
      },
    }),
  },
  /** A run keeps its slot and its entity's lease when it ends. */
  'locks-kept': {
    breaks: 'leaves-nothing',
    world: withState(() => ({ release: async () => {} })),
  },
  /** Clean-up deletes nothing. */
  'clean-up-forgotten': {
    breaks: 'leaves-nothing',
    world: (world) => ({ ...world, snapshots: { ...world.snapshots, deleteKeys: async () => {} } }),
  },
  /** One wrong empty page ends a scroll, although documents remain. */
  'believe-every-end': {
    breaks: 'snapshot-complete',
    showsIn: (scenario) => isTolerant(scenario) && scenario.platform.lies > 0,
    world: (world) => ({
      ...world,
      upstream: {
        ...world.upstream,
        async send(request) {
          const response = await world.upstream.send(request)
          const ended = endedScrolls.get(world.upstream) ?? new Set<string>()
          endedScrolls.set(world.upstream, ended)
          if (ended.has(request.target)) return { ...response, status: 200, body: Buffer.alloc(0) }
          if (response.body.length < 8 && response.status < 300) ended.add(request.target)
          return response
        },
      },
    }),
  },
} as const satisfies Record<string, Plant>

export type PlantName = keyof typeof plants

const endedScrolls = new WeakMap<StepContext['upstream'], Set<string>>()

function withLines(change: (lines: string[]) => string[]): NonNullable<Plant['world']> {
  return (world) => ({
    ...world,
    compress: async (bytes) => {
      const lines = change(bytes.toString().split('\n').slice(0, -1))
      return world.compress(Buffer.from(lines.map((line) => `${line}\n`).join('')))
    },
  })
}
