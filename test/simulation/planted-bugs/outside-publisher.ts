import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { exitAtInterrupt } from '../../../operator/interrupts.ts'
import type { Invariant, Violation } from '../oracle/invariants.ts'
import { drawPlaces, type Place } from './places.ts'
import { simulationOf } from './with-bug.ts'

/**
 * `npm run plants -- --outside-publisher [--seed N] [--count N]`: changes places that the publisher does not run, one at a
 * time, simulates worlds, and tells whether readers have wrong data. Exits with 1 if they do.
 */

/** What readers have is wrong, although nothing says so. */
const harms: ReadonlySet<Invariant> = new Set([
  'snapshot-complete',
  'proof-true',
  'guards-hold',
  'coverage-true',
  'changes-true',
  'deletes-true',
  'deletes-guarded',
  'chain-forward',
  'increments-true',
  'readers-follow',
  'latest-forward',
  'table-follows',
  'typed-table-whole',
  'typed-table-forward',
  'typed-table-ids',
])

/** What is deleted is an error for readers, never wrong data. */
const isHarm = ({ invariant, detail }: Violation) =>
  harms.has(invariant) && !/^There is no object|without a cause: The tip's snapshot is gone/.test(detail)

const worlds = 60
/** Worlds that show how else a change is noticed. */
const otherWorlds = 10
/** Processor time for the worlds of one place. */
const maxMs = 20_000

interface Outcome {
  readonly harm: Violation | undefined
  /** What else is violated, and in how many worlds. */
  readonly others: ReadonlyMap<string, number>
}

async function outcomeOf({ file, contents }: Place): Promise<Outcome | { readonly failure: string }> {
  const others = new Map<string, number>()
  // A world in which nothing ends is not played to its end.
  const heeds = (invariant: Invariant) => harms.has(invariant) || invariant === 'ends-in-time'
  try {
    const simulate = await simulationOf(file, contents)
    for (let seed = 1; seed <= worlds && usedMs(process.threadCpuUsage()) < maxMs; seed++) {
      const { violation } = await simulate(seed, { heeds })
      if (violation && isHarm(violation)) return { harm: violation, others }
    }
    for (let seed = 1; seed <= otherWorlds; seed++) {
      const { violation } = await simulate(seed)
      if (violation) others.set(violation.invariant, (others.get(violation.invariant) ?? 0) + 1)
    }
    return { harm: undefined, others }
  } catch (error) {
    return { failure: String(error).slice(0, 200) }
  }
}

function textOf(outcome: Awaited<ReturnType<typeof outcomeOf>>): string {
  if ('failure' in outcome) return `does not run: ${outcome.failure}`
  const { harm, others } = outcome
  if (harm) return `HARMS: ${harm.invariant}: ${harm.detail.replaceAll(/\s+/g, ' ').slice(0, 200)}`
  const found = [...others].map(([invariant, times]) => `${invariant} (${times})`)
  return found.length === 0 ? 'without effect' : `noticed: ${found.join(', ')}`
}

async function drawAndTry(): Promise<number> {
  const { seed, count } = parseArgs({
    options: {
      'outside-publisher': { type: 'boolean' },
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '150' },
    },
  }).values
  const places = drawPlaces(Number(count), Number(seed))
  let harmful = 0
  let next = 0
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let place = places[next++]; place; place = places[next++]) {
        const text = await inThread(place)
        if (text.startsWith('HARMS')) harmful++
        const cells = [`${place.file}:${place.line}`, place.change, text]
        console.log(`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
      }
    }),
  )
  console.log(`${harmful} of ${places.length} harm readers`)
  return harmful > 0 ? 1 : 0
}

/** In a thread of its own, since with some changes nothing happens any more. */
async function inThread(place: Place): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const nothingEnds = () => resolve('noticed: nothing ends any more')
  const worker = new Worker(new URL(import.meta.url), { workerData: place })
    .once('message', resolve)
    .once('error', (error) => resolve(`noticed: ends the function: ${error}`))
    .once('exit', nothingEnds)
  // It rejects when the thread has just ended.
  const usage = () =>
    worker.cpuUsage().then(
      (used) => usedMs(used) > 3 * maxMs && nothingEnds(),
      () => undefined,
    )
  const look = setInterval(() => void usage(), 1000)
  const text = await promise
  clearInterval(look)
  await worker.terminate()
  return text
}

const usedMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000

if (isMainThread) {
  exitAtInterrupt()
  process.exitCode = await drawAndTry()
} else parentPort?.postMessage(textOf(await outcomeOf(workerData as Place)))
