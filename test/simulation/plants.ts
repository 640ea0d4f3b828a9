import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { Lease } from '../../functions/state/lease.ts'
import { latestKey, tableKey } from '../../functions/state/manifest.ts'
import type { CommittedPage } from '../../functions/state/page.ts'
import { hasEnded } from '../../functions/state/run.ts'
import type { StepContext } from '../../functions/worker/context.ts'
import type { Invariant } from './oracle.ts'
import type { Simulation } from './simulation.ts'

/** A mistake put into the worker from outside, at one of its ports, to show that the oracle sees it. */
export interface Plant {
  /** What it must be found by. */
  readonly breaks: Invariant
  /** Changes a command on its way to a store. */
  readonly command?: (command: { readonly input: object }) => { readonly input: object }
  readonly world?: (world: StepContext, sim: Simulation) => StepContext
}

export const plants = {
  /** A request of unknown outcome leaves no trace. */
  'forget-suspect': {
    breaks: 'snapshot-complete',
    world: withState((state) => ({
      writeRun: (run) => state.writeRun(Object.assign(run, { suspect: false })),
    })),
  },
  /** Whatever was found is what should be there. */
  'believe-every-count': {
    breaks: 'snapshot-complete',
    world: withState((state) => ({
      commitEnd: (attempt, end, now) => {
        end = { ...end, total: end.documentsSoFar }
        return state.commitEnd(attempt, end, now)
      },
    })),
  },
  /** Documents are parsed and written anew. */
  'reserialise-documents': {
    breaks: 'snapshot-complete',
    world: withLines((lines) => lines.map((line) => JSON.stringify(JSON.parse(line)))),
  },
  /** The last line of a page goes missing on the way to its object. */
  'lose-a-line': { breaks: 'proof-true', world: withLines((lines) => lines.slice(0, -1)) },
  /** A document's id is known by its bytes, not by what it says: a count of things that are none. */
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
  /** A repeated page stays in the manifest, in the place of the one after it. */
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
    command: unconditional((input) => keyOf(input).startsWith('run#')),
  },
  /** A page counts before its object is there. */
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
  /** All pages of a run share their names. */
  'shared-object-names': {
    breaks: 'write-once',
    world: (world) => ({ ...world, uniqueName: () => 'same' }),
  },
  /** A write of the older latest.json comes late, and nothing holds it off. */
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
  /** The table is moved by the first publication only. */
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
  /** A publication that stood still lists its own pages late, and nothing holds it off. */
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
  /** Clean-up keeps the newest snapshot only. */
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
  /** The guard compares with nothing. */
  'forget-what-was-published': {
    breaks: 'guards-hold',
    world: (world) => ({ ...world, snapshots: { ...world.snapshots, readLatest: async () => undefined } }),
  },
  /** A lease that was left behind is never free. */
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
        claimLease: (entity, seen, lease) =>
          state.claimLease(entity, seen && (real.get(seen) ?? seen), lease),
      }
    }),
  },
  /** A worker never looks whether the run is still its own. */
  'lease-ignored': {
    breaks: 'one-run-writes',
    world: withState(() => ({ renewLease: async () => {} })),
  },
  /** As many syncs at once as like to. */
  'places-ignored': {
    breaks: 'places-held',
    world: withState(() => ({ takeSlot: async () => true })),
  },
  /** A run that failed says nothing of it. */
  'end-without-reason': {
    breaks: 'end-is-true',
    world: withState((state) => ({
      writeRun: (run) => state.writeRun(Object.assign(run, { reason: undefined })),
    })),
  },
  /** A run is called published when it is only whole. */
  'published-too-early': {
    breaks: 'end-is-true',
    world: withState((state) => ({
      writeRun: (run) =>
        state.writeRun(run.status === 'publishing' ? { ...run, status: 'published' as const } : run),
    })),
  },
  /** Each worker begins its budget anew. */
  'never-gives-up': {
    breaks: 'ends-in-time',
    world: withState((state) => ({
      writeRun: (run) => state.writeRun(Object.assign(run, { retryState: undefined })),
    })),
  },
  /** The end of a run leaves its lease and what it was doing as they are. */
  'run-left-open': {
    breaks: 'end-is-true',
    world: withState((state) => ({
      writeRun: (run) => (hasEnded(run) ? Promise.resolve(run) : state.writeRun(run)),
    })),
  },
  /** The next page is asked for with the first token for ever. */
  'keep-the-first-token': {
    breaks: 'recovers',
    world: (world) => ({
      ...world,
      upstream: {
        ...world.upstream,
        async send(request) {
          const answer = await world.upstream.send(request)
          if (!request.target.includes('_token=')) return answer
          const { 'x-svc-md-token': _newer, ...headers } = answer.headers
          return { ...answer, headers }
        },
      },
    }),
  },
  /** A document that cannot be read ends the worker. */
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
} as const satisfies Record<string, Plant>

export type PlantName = keyof typeof plants

type State = StepContext['state']

function withState(change: (state: State, sim: Simulation) => Partial<State>): NonNullable<Plant['world']> {
  return (world, sim) => ({ ...world, state: { ...world.state, ...change(world.state, sim) } })
}

function withLines(change: (lines: string[]) => string[]): NonNullable<Plant['world']> {
  return (world) => ({
    ...world,
    compress: async (bytes) => {
      const lines = change(bytes.toString().split('\n').slice(0, -1))
      return world.compress(Buffer.from(lines.map((line) => `${line}\n`).join('')))
    },
  })
}

/** Drops the conditions of the writes that `meant` names. */
function unconditional(meant: (input: object) => boolean): NonNullable<Plant['command']> {
  return (command) => {
    if (!command.constructor.name.startsWith('Put') || !meant(command.input)) return command
    const {
      ConditionExpression: _condition,
      IfMatch: _match,
      IfNoneMatch: _none,
      ...input
    } = command.input as Record<string, unknown>
    if (_condition === undefined)
      return new (command.constructor as new (input: object) => { input: object })(input)
    const { ExpressionAttributeNames: _names, ExpressionAttributeValues: _values, ...rest } = input
    return new (command.constructor as new (input: object) => { input: object })(rest)
  }
}

function keyOf(input: object): string {
  return (input as { Item?: { pk?: { S?: string } } }).Item?.pk?.S ?? ''
}
