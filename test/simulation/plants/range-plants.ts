import type { Position } from '../../../functions/state/pages/page.ts'
import { positionsOf } from '../../../functions/state/run/attempts.ts'
import { proven, type RangeProof, type RangeState } from '../../../functions/state/run/range.ts'
import { hasEnded } from '../../../functions/state/run/run.ts'
import { rangesOf } from '../../../functions/state/run/split.ts'
import type { UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import type { StepContext } from '../../../functions/worker/context.ts'
import { withoutTime } from '../platform/documents.ts'
import { handsOff, hasRanges, isTolerant } from '../scenario.ts'
import type { Plant } from './plant.ts'
import { withRanges, withState } from './planting.ts'

const hasTime = withoutTime.map((id) => `id <> ${id}`).join(' AND ')

/** Bugs in scrolling ranges and in proving that they cover the entity. */
export const rangePlants = {
  /** No range holds the documents whose date is null or missing. */
  'null-dates-lost': {
    breaks: 'ranges-cover',
    showsIn: hasRanges,
    world: withFilters((where) =>
      where.replace('createdIn is null', '(createdIn is null AND createdIn is not null)'),
    ),
  },
  /** No range holds documents with a text or a number in place of a date. */
  'other-dates-lost': {
    breaks: 'ranges-cover',
    showsIn: hasRanges,
    world: withFilters((where) => where.replace(/\(createdIn (<|>|between) .*\)$/, `(${hasTime} AND $&)`)),
  },
  /** Ranges do not include their boundaries. */
  'boundary-lost': {
    breaks: 'ranges-cover',
    showsIn: hasRanges,
    world: withFilters((where) =>
      where
        .replace(/ OR createdIn = [^)]*/, '')
        .replace(/createdIn between (\S+) AND ([^)]+)/, 'createdIn > $1 AND createdIn < $2'),
    ),
  },
  /** A range is never suspect, not even after a crash or a request whose outcome is unknown. */
  'range-never-suspect': {
    breaks: 'snapshot-complete',
    showsIn: (scenario) => hasRanges(scenario) && scenario.platform.lostLastPages > 0,
    world: withState((state) => ({
      writeRun: (run) =>
        state.writeRun(
          run.split.kind === 'ranges' ? withRanges(run, (range) => ({ ...range, suspect: false })) : run,
        ),
    })),
  },
  /** When one range is proven, those that a worker left open count as proven by what they have. */
  'dead-range-skipped': {
    breaks: 'snapshot-complete',
    showsIn: (scenario) => hasRanges(scenario) && handsOff(scenario),
    world: withState((state) => ({
      async readRun(...name) {
        const run = await state.readRun(...name)
        if (!run || hasEnded(run) || !rangesOf(run.split).some(isProven)) return run
        const positions = await positionsOf(state, run)
        return withRanges(run, (range, index) =>
          range.state === 'proven' ? range : proven(range, believedProof(positions[index])),
        )
      },
    })),
  },
  /** A range continues at the position of another. */
  'range-position-mixed': {
    breaks: 'snapshot-complete',
    showsIn: (scenario) => hasRanges(scenario) && handsOff(scenario),
    world: withState((state) => ({
      async lastPosition(attempt) {
        const own = await state.lastPosition(attempt)
        if (!own || !attempt.range) return own
        return (await state.lastPosition({ ...attempt, range: attempt.range - 1 })) ?? own
      },
    })),
  },
  /** A range that is short of its total counts as proven, within the tolerance of the whole. */
  'short-range-believed': {
    breaks: 'snapshot-complete',
    showsIn: (scenario) => hasRanges(scenario) && isTolerant(scenario),
    world: withState((state) => ({
      commitEnd(attempt, end, now) {
        // The worker goes by the same object.
        if ('range' in attempt) Object.assign(end, { total: end.documentsSoFar })
        return state.commitEnd(attempt, end, now)
      },
    })),
  },
  /** "Too many scrolls" at the opening of a range fails the run. */
  'too-many-scrolls-fails': {
    breaks: 'throttling-survived',
    showsIn: ({ onlyThrottles }) => onlyThrottles,
    world: withResponses((response) =>
      response.status === 400 && response.body.includes('Maximum simultaneous')
        ? { ...response, body: Buffer.from('{"Message":"Bad Request"}') }
        : response,
    ),
  },
  /** A 429 fails the run. */
  'throttling-fails': {
    breaks: 'throttling-survived',
    showsIn: ({ onlyThrottles }) => onlyThrottles,
    world: withResponses((response) => (response.status === 429 ? { ...response, status: 400 } : response)),
  },
  /** The whole is taken to have as many documents as its ranges, so filters that miss some go unnoticed. */
  'coverage-believed': {
    breaks: 'coverage-true',
    showsIn: ({ platform, entities }) =>
      ['misses', 'no-null', 'ignored'].includes(platform.filters) &&
      entities.some(({ partitions }) => partitions !== undefined),
    world: (world, sim) => withTotals(wholeOfRanges())(world, sim),
  },
  /** Searches are taken to find what the scroll of a range reports. */
  'agreement-believed': {
    breaks: 'coverage-true',
    showsIn: ({ platform }) => ['misses-by-scrolls', 'lags-by-scrolls'].includes(platform.filters),
    world: (world, sim) => asScrollsReport(world, sim),
  },
  /** What a snapshot by ranges lacks counts as deleted, whatever is known of the coverage. */
  'absence-by-ranges-counts': {
    breaks: 'deletes-true',
    showsIn: ({ platform }) => platform.filters.startsWith('misses'),
    scenario: (drawn) => ({
      ...drawn,
      compares: true,
      entities: drawn.entities.map((entity) => ({
        ...entity,
        changes: { ignore: [], maxDeletePercent: 100, keepDays: 30 },
      })),
      drivers: { ...drawn.drivers, starts: 5 },
    }),
    compare: (context) => ({
      ...context,
      snapshots: {
        ...context.snapshots,
        async readManifest(...run) {
          const manifest = await context.snapshots.readManifest(...run)
          const { partitionedBy } = manifest ?? {}
          if (!manifest || !partitionedBy) return manifest
          return { ...manifest, proof: 'exact', partitionedBy: { ...partitionedBy, absences: 'proven' } }
        },
      },
    }),
  },
} as const satisfies Record<string, Plant>

const isProven = ({ state }: RangeState) => state === 'proven'

function believedProof(position: Position | undefined): RangeProof {
  const { documentsSoFar: documents = 0, page: pages = 0, openedAt = 0 } = position ?? {}
  return {
    proof: 'exact',
    documents,
    uniqueIds: documents,
    pages,
    received: documents,
    total: documents,
    openedAt,
  }
}

/** Answers searches for the whole with what the ranges of the reading have without their boundaries. */
function wholeOfRanges() {
  let totals = new Map<string, number>()
  let whole: number | undefined
  return ({ target, total }: { readonly target: string; readonly total: number }): number => {
    const where = whereOf(target)
    if (where.includes('createdIn')) {
      totals.set(where, total)
      return total
    }
    const isReading = [...totals.keys()].some((one) => one.includes('is null'))
    if (isReading) {
      whole = [...totals].reduce((sum, [one, count]) => sum + (isBoundary(one) ? -count : count), 0)
    }
    totals = new Map()
    return whole ?? total
  }
}

const whereOf = (target: string) => new URLSearchParams(target.split('?')[1]).get('_where') ?? ''
const isBoundary = (where: string) => /\(createdIn = [^<>]*\)$/.test(where)

/** Answers searches for a range with the total of its scroll. */
const asScrollsReport: NonNullable<Plant['world']> = (world, sim) => {
  const reported = new Map<string, number>()
  const noting = withUpstream((send) => async (request) => {
    const response = await send(request)
    const total = response.headers['rest-content-total']
    if (total !== undefined) reported.set(whereOf(request.target), Number(total))
    return response
  })
  const responding = withTotals(({ target, total }) => reported.get(whereOf(target)) ?? total)
  return responding(noting(world, sim), sim)
}

type Send = StepContext['upstream']['send']

function withUpstream(change: (send: Send) => Send): NonNullable<Plant['world']> {
  return ({ upstream, ...world }) => ({
    ...world,
    upstream: { ...upstream, send: change((request) => upstream.send(request)) },
  })
}

/** Sends other filters of ranges than the worker asked for. */
function withFilters(change: (where: string) => string): NonNullable<Plant['world']> {
  return withUpstream((send) => (request) => {
    const [path, query] = request.target.split('?')
    const parameters = new URLSearchParams(query)
    const where = parameters.get('_where')
    if (!where?.includes('createdIn') || where.includes('(createdIn is not null)')) return send(request)
    parameters.set('_where', change(where))
    return send({ ...request, target: `${path}?${parameters.toString()}` })
  })
}

function withResponses(
  change: (response: UpstreamResponse) => UpstreamResponse,
): NonNullable<Plant['world']> {
  return withUpstream((send) => async (request) => change(await send(request)))
}

/** Changes the totals that searches report. */
function withTotals(
  change: (search: { readonly target: string; readonly total: number }) => number,
): NonNullable<Plant['world']> {
  return withUpstream((send) => async (request) => {
    const response = await send(request)
    const range = String(response.headers['rest-content-range'] ?? '')
    const [, items, total] = /^(.*\/)(\d+)$/.exec(range) ?? []
    if (items === undefined) return response
    const changed = change({ target: request.target, total: Number(total) })
    return { ...response, headers: { ...response.headers, 'rest-content-range': `${items}${changed}` } }
  })
}
