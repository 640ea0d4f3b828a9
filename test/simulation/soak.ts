import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { exitAtInterrupt } from '../../operator/interrupts.ts'
import { copyBucket } from '../copy-of-bucket.ts'
import { createChance } from './chance.ts'
import { drawScenario, type Worlds } from './draw-scenario.ts'
import type { Violation } from './oracle/invariants.ts'
import { hasIncrements } from './planted-bugs/planted-bug.ts'
import { type BugName, plantedBugs } from './planted-bugs/planted-bugs.ts'
import { isFound } from './planted-bugs/search.ts'
import { simulationWith } from './planted-bugs/with-bug.ts'
import { isIntact, simulate } from './simulate.ts'

/** The result of a thread for a range of seeds. */
interface Stretch {
  readonly seeds: number
  readonly figures: Figures
  readonly violations: readonly { readonly seed: number; readonly violation: Violation }[]
}

/** How often each event happened, and how the runs ended in the seeds in which it did. */
type Figures = Map<string, { times: number; worlds: number; ends: Record<string, number> }>

const ends = ['published', 'refused', 'failed', 'cancelled', 'skipped'] as const

/** Which seeds are simulated, and with which bug. */
interface Selected {
  readonly bug: BugName | undefined
  /** Leaves out seeds without increments. */
  readonly onlyIncrements: boolean
  readonly worlds: Worlds
  /** Each intact world is stored in a folder of this one, as a copy of its bucket. */
  readonly keep: string | undefined
}

const stretchLength = { all: 50, long: 5 } as const
/** One more than there are processors, since seeds wait for the thread pool that compresses pages. */
const threads = availableParallelism() + 1
const maxShown = 5
const usage =
  'npm run soak -- [--seeds N] [--from S] [--seed S] [--increments] [--long] [--bug NAME] [--keep FOLDER]'

/** The simulations with planted bugs that this thread has made. */
const planted = new Map<BugName, ReturnType<typeof simulationWith>>()

if (isMainThread) {
  exitAtInterrupt()
  process.exitCode = await soak()
} else serve(workerData as Selected)

/** Simulates seeds and reports violations. */
async function soak(): Promise<number> {
  const values = readFlags()
  if (!values) return 2
  if (values.bug !== undefined && !(values.bug in plantedBugs)) {
    console.error(`Unknown bug '${values.bug}'. Use one of: ${Object.keys(plantedBugs).join(', ')}.`)
    return 2
  }
  const bug = values.bug as BugName | undefined
  const worlds = values.long ? 'long' : 'all'
  if (values.seed !== undefined) return repeat(Number(values.seed), { bug, worlds })
  return playAll(
    { from: Number(values.from), seeds: Number(values.seeds) },
    { bug, onlyIncrements: values.increments, worlds, keep: values.keep },
  )
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        seeds: { type: 'string', default: '100000' },
        from: { type: 'string', default: '1' },
        seed: { type: 'string' },
        increments: { type: 'boolean', default: false },
        long: { type: 'boolean', default: false },
        bug: { type: 'string' },
        keep: { type: 'string' },
      },
    }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\nUsage: ${usage}`)
    return undefined
  }
}

/** Replays one seed and prints every event. */
async function repeat(seed: number, { bug, worlds }: Pick<Selected, 'bug' | 'worlds'>): Promise<number> {
  const { story, violation } = await (await simulationOf(bug))(seed, { story: true, worlds })
  for (const line of story) console.log(line.slice(0, 500))
  console.log(
    violation
      ? `\nseed ${seed}: ${violation.invariant}: ${violation.detail}`
      : `\nseed ${seed}: 0 violations`,
  )
  return violation ? 1 : 0
}

async function playAll(
  { from: first, seeds }: { from: number; seeds: number },
  selected: Selected,
): Promise<number> {
  const { bug } = selected
  const last = first + seeds - 1
  const startedAt = performance.now()
  const figures: Figures = new Map()
  const violations: { seed: number; violation: Violation }[] = []
  let next = first
  let done = 0
  let shownAt = 0
  const show = ({ isLast } = { isLast: false }) => {
    const now = performance.now()
    if (!isLast && now - shownAt < (process.stdout.isTTY ? 200 : 10_000)) return
    shownAt = now
    const line = progress(done, seeds, { violations: violations.length, seconds: (now - startedAt) / 1000 })
    if (process.stdout.isTTY) process.stdout.write(`\r${line}${isLast ? '\n' : ''}`)
    else console.log(line)
  }
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL(import.meta.url), { workerData: selected })
      // The search for a planted bug ends when it is found. Without one, every seed is simulated.
      while (next <= last && (bug === undefined || violations.length === 0)) {
        const from = next
        const to = Math.min(last, from + stretchLength[selected.worlds] - 1)
        next = to + 1
        const stretch = await ask(worker, { from, to })
        done += stretch.seeds
        addFigures(figures, stretch.figures)
        for (const found of stretch.violations) {
          violations.push(found)
          if (violations.length <= maxShown) await report(found, selected)
          else console.log(`${found.violation.invariant} in seed ${found.seed}`)
        }
        show()
      }
      await worker.terminate()
    }),
  )
  show({ isLast: true })
  console.log(table(figures))
  console.log(`${violations.length} violations in ${done} seeds`)
  return violations.length > 0 ? 1 : 0
}

function ask(worker: Worker, stretch: { from: number; to: number }): Promise<Stretch> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (response: Stretch) => {
      worker.off('error', reject)
      resolve(response)
    })
    worker.postMessage(stretch)
  })
}

function serve(selected: Selected): void {
  parentPort?.on('message', (stretch: { from: number; to: number }) => {
    play(stretch, selected).then(
      (played) => parentPort?.postMessage(played),
      (error: unknown) => {
        // Nothing catches it here, so it ends the thread, and the main thread receives it.
        queueMicrotask(() => {
          throw error
        })
      },
    )
  })
}

async function play(
  { from, to }: { from: number; to: number },
  { bug, onlyIncrements, worlds, keep }: Selected,
): Promise<Stretch> {
  const figures: Figures = new Map()
  const violations: { seed: number; violation: Violation }[] = []
  const simulateSeed = await simulationOf(bug)
  for (let seed = from; seed <= to; seed++) {
    if (onlyIncrements && !hasIncrements(drawScenario(createChance(seed), worlds))) continue
    const result = await simulateSeed(seed, { worlds })
    addFigures(figures, figuresOf(result.counts))
    if (keep && isIntact(result)) copyBucket(result.objects, join(keep, String(seed)))
    const { violation } = result
    if (!violation) continue
    if (bug !== undefined && !isFound(plantedBugs[bug], result)) continue
    violations.push({ seed, violation })
    if (bug !== undefined) return { seeds: seed - from + 1, figures, violations }
  }
  return { seeds: to - from + 1, figures, violations }
}

async function simulationOf(bug: BugName | undefined): Promise<typeof simulate> {
  if (bug === undefined) return simulate
  const known = planted.get(bug) ?? simulationWith(plantedBugs[bug])
  planted.set(bug, known)
  return known
}

/** Prints a violation, the events before it, and the command that repeats it. */
async function report(
  { seed, violation }: { seed: number; violation: Violation },
  { bug, worlds }: Pick<Selected, 'bug' | 'worlds'>,
): Promise<void> {
  const { story } = await (await simulationOf(bug))(seed, { story: true, worlds })
  console.log(`\n${violation.invariant}: ${violation.detail}`)
  for (const line of story.slice(-12)) console.log(`  ${line.slice(0, 180)}`)
  console.log(
    `  repeat: npm run soak -- --seed ${seed}${worlds === 'long' ? ' --long' : ''}${bug ? ` --bug ${bug}` : ''}\n`,
  )
}

function progress(done: number, seeds: number, current: { violations: number; seconds: number }): string {
  const share = done / seeds
  const bar = '#'.repeat(Math.round(share * 30)).padEnd(30, '.')
  const pace = Math.round(done / current.seconds)
  return `[${bar}] ${done} of ${seeds} seeds, ${current.violations} violations, ${pace} per second`
}

function figuresOf(counts: ReadonlyMap<string, number>): Figures {
  const ended = Object.fromEntries(ends.map((end) => [end, counts.get(`run ${end}`) ?? 0]))
  return new Map([...counts].map(([kind, times]) => [kind, { times, worlds: 1, ends: ended }]))
}

function addFigures(sum: Figures, more: Figures): void {
  for (const [kind, { times, worlds, ends: added }] of more) {
    const before = sum.get(kind)
    const both = Object.fromEntries(ends.map((end) => [end, (before?.ends[end] ?? 0) + (added[end] ?? 0)]))
    sum.set(kind, { times: (before?.times ?? 0) + times, worlds: (before?.worlds ?? 0) + worlds, ends: both })
  }
}

/** How often each event happened, and how the runs ended in those seeds. */
function table(figures: Figures): string {
  const rows = [...figures].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const width = Math.max(...rows.map(([kind]) => kind.length))
  const line = (kind: string, cells: readonly (string | number)[]) =>
    `  ${kind.padEnd(width)}${cells.map((cell) => String(cell).padStart(11)).join('')}`
  const body = rows.map(([kind, row]) =>
    line(kind, [row.times, row.worlds, ...ends.map((end) => row.ends[end] ?? 0)]),
  )
  return [line('', ['times', 'seeds', ...ends]), ...body].join('\n')
}
