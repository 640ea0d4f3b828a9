import { UpstreamFailure } from '../../../functions/upstream/errors.ts'
import type { UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import type { StepContext } from '../../../functions/worker/context.ts'
import { withoutTime } from '../platform/documents.ts'
import { hasRanges, isTolerant } from '../scenario.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Plant } from './plant.ts'
import { withState } from './planting.ts'

const hasTime = withoutTime.map((id) => `id <> ${id}`).join(' AND ')

const neverSuspect = withState((state) => ({
  writeRun: (run) => {
    const { partitions } = run
    if (partitions.kind !== 'ranges') return state.writeRun(run)
    const ranges = partitions.ranges.map((range) => ({ ...range, suspect: false }))
    return state.writeRun(Object.assign(run, { partitions: { ...partitions, ranges } }))
  },
}))

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
  /** A range is never suspect, not even after an answer was lost. Lost answers are frequent here. */
  'range-never-suspect': {
    breaks: 'snapshot-complete',
    showsIn: (scenario) => hasRanges(scenario) && isTolerant(scenario) && scenario.platform.faults > 0,
    world: (world, sim) => ({
      ...neverSuspect(world, sim),
      upstream: {
        ...world.upstream,
        async send(request) {
          const answer = await world.upstream.send(request)
          if (request.target.includes('_token=') && sim.chance.happens(0.2))
            throw new UpstreamFailure('interrupted')
          return answer
        },
      },
    }),
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
  /** When one range is proven, those that a worker left open count as proven too. */
  'dead-range-skipped': {
    breaks: 'ranges-cover',
    showsIn: hasRanges,
    world: withState((state) => ({
      async readRun(...name) {
        const run = await state.readRun(...name)
        if (run?.partitions.kind !== 'ranges') return run
        const { partitions } = run
        if (!partitions.ranges.some((range) => range.state === 'proven')) return run
        const ranges = partitions.ranges.map((range) => ({ ...range, state: 'proven' as const }))
        return { ...run, partitions: { ...partitions, ranges } }
      },
    })),
  },
  /** A range continues at the position of another. */
  'range-position-mixed': {
    breaks: 'snapshot-complete',
    showsIn: hasRanges,
    world: withState((state) => ({
      async lastPosition(attempt) {
        const own = await state.lastPosition(attempt)
        if (!own || !('range' in attempt) || !attempt.range) return own
        return (await state.lastPosition({ ...attempt, range: attempt.range - 1 })) ?? own
      },
    })),
  },
  /** "Too many scrolls" at the opening of a range fails the run. */
  'too-many-scrolls-fails': {
    breaks: 'throttling-survived',
    showsIn: ({ onlyThrottles }) => onlyThrottles,
    world: withAnswers((answer) =>
      answer.status === 400 && answer.body.includes('Maximum simultaneous')
        ? { ...answer, body: Buffer.from('{"Message":"Bad Request"}') }
        : answer,
    ),
  },
  /** A 429 fails the run. */
  'throttling-fails': {
    breaks: 'throttling-survived',
    showsIn: ({ onlyThrottles }) => onlyThrottles,
    world: withAnswers((answer) => (answer.status === 429 ? { ...answer, status: 400 } : answer)),
  },
  /** The totals of ranges are not compared with the whole, so an ignored filter goes unnoticed. */
  'ignored-filter-unnoticed': {
    breaks: 'coverage-true',
    showsIn: ({ platform }) => platform.filters === 'ignored' && platform.total === 'right',
    world: withTotals(({ target, total }) => (target.includes('createdIn+') ? Math.ceil(total / 5) : total)),
  },
  /** Coverage is proven by the documents of the ranges themselves, so what came and went between them is not noticed. */
  'coverage-by-ranges': {
    breaks: 'coverage-true',
    showsIn: (scenario) => hasRanges(scenario) && scenario.platform.changes > 0,
    world(world, sim) {
      const counted = withState((state) => ({
        commitPage(attempt, page, now) {
          const ids = idsOf(sim, attempt.runId)
          const { fingerprints } = page
          for (let at = 0; at < fingerprints.length; at += 8)
            ids.add(Buffer.from(fingerprints.subarray(at, at + 8)).toString('hex'))
          last.set(sim, attempt.runId)
          return state.commitPage(attempt, page, now)
        },
      }))(world, sim)
      const answering = withTotals(({ target, total }) => {
        const ids = idsOf(sim, last.get(sim) ?? '')
        return target.includes('createdIn+') || ids.size === 0 ? total : ids.size
      })
      return answering(counted, sim)
    },
  },
} as const satisfies Record<string, Plant>

/** The ids that runs have committed, and the run that did so last. */
const committed = new WeakMap<Surroundings, Map<string, Set<string>>>()
const last = new WeakMap<Surroundings, string>()

function idsOf(sim: Surroundings, runId: string): Set<string> {
  const runs = committed.get(sim) ?? new Map<string, Set<string>>()
  committed.set(sim, runs)
  const ids = runs.get(runId) ?? new Set<string>()
  runs.set(runId, ids)
  return ids
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

function withAnswers(change: (answer: UpstreamResponse) => UpstreamResponse): NonNullable<Plant['world']> {
  return withUpstream((send) => async (request) => change(await send(request)))
}

/** Changes the totals that searches report. */
function withTotals(
  change: (search: { readonly target: string; readonly total: number }) => number,
): NonNullable<Plant['world']> {
  return withUpstream((send) => async (request) => {
    const answer = await send(request)
    const range = String(answer.headers['rest-content-range'] ?? '')
    const [, items, total] = /^(.*\/)(\d+)$/.exec(range) ?? []
    if (items === undefined) return answer
    const changed = change({ target: request.target, total: Number(total) })
    return { ...answer, headers: { ...answer.headers, 'rest-content-range': `${items}${changed}` } }
  })
}
