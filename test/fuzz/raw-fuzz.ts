import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from '../../local/platform/platform.ts'
import type { NpmStart } from '../npm-start.ts'
import { type RawCase, rawCase, smuggled } from './raw-cases.ts'
import { parseAnswers } from './strict-answers.ts'
import { brokenPromise } from './upstream-promise.ts'

const longestMs = 10_000
const mostShown = 5

interface RawFuzz {
  readonly started: NpmStart
  readonly platform: Platform
  readonly seed: number
  readonly cases: readonly number[]
  /** Whether what each case sent and got is printed. */
  readonly isTold: boolean
}

/** Cases that are sent side by side. */
const together = 16
/** A server that has not said more for so long has said all. It is asked to close then. */
const quietMs = 40
/** Longer, for whoever has not said anything. */
const silentMs = 250

/**
 * Sends raw bytes, each case over a connection of its own. After each the gateway must run, have answered in HTTP to
 * the letter and without a fault of ours, have let up only what endpoints list, and serve a good request. True if so.
 */
export async function fuzzRaw({ started, platform, seed, cases, isTold }: RawFuzz): Promise<boolean> {
  const statuses = new Map<number | 'none', number>()
  const startedAt = performance.now()
  let wentUp = 0
  let failures = 0
  const fail = (indices: readonly number[], wrong: string) => {
    failures += 1
    if (failures > mostShown) return
    console.log(`\n${indices.length > 1 ? 'one of these cases' : 'a case'}: ${wrong}`)
    for (const index of indices) {
      console.log(`  repeat: npm run fuzz -- --seed ${seed} --case ${index}  (${rawCase(seed, index).name})`)
    }
  }
  for (let at = 0; at < cases.length && started.process.exitCode === null; at += together) {
    const indices = cases.slice(at, at + together)
    const made = indices.map((index) => rawCase(seed, index))
    platform.requests.length = 0
    const received = await Promise.all(made.map((one) => exchange(started.apiUrl, one)))
    for (const [place, index] of indices.entries()) {
      const answer = received[place] ?? new Error('nothing was sent')
      const wrong = brokenAnswer(answer, statuses)
      if (wrong !== undefined) fail([index], wrong)
      if (isTold && made[place]) tell(made[place], answer)
    }
    wentUp += platform.requests.length
    const broken = platform.requests.map(brokenPromise).find((promise) => promise !== undefined)
    if (broken !== undefined) fail(indices, `what went up breaks the promise: ${broken}`)
    if (platform.requests.some(({ url }) => url.includes(smuggled)))
      fail(indices, 'a request went up that stood within another')
    const after = await afterwards(started)
    if (after !== undefined) fail(indices, after)
  }
  const counted = [...statuses].toSorted(([one], [other]) => Number(one) - Number(other))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`\nRaw bytes: ${cases.length} connections in ${seconds} s, seed ${seed}. Answers by status:`)
  console.log(`  ${counted.map(([status, times]) => `${status}: ${times}`).join('  ')}`)
  console.log(`  ${wentUp} requests went up`)
  console.log(`  ${failures} failures`)
  return failures === 0
}

function brokenAnswer(received: Buffer | Error, statuses: Map<number | 'none', number>): string | undefined {
  if (received instanceof Error) return received.message
  const count = (status: number | 'none') => statuses.set(status, (statuses.get(status) ?? 0) + 1)
  try {
    const answers = parseAnswers(received)
    for (const { status } of answers) count(status)
    if (answers.length === 0) count('none')
    const fault = answers.find(({ status }) => status >= 500)
    return fault && `it was answered with ${fault.status}: ${String(fault.body).slice(0, 300)}`
  } catch (error) {
    return `${String(error)} It sent: ${JSON.stringify(String(received).slice(0, 300))}`
  }
}

/** What is wrong with the gateway now that the cases are over. */
async function afterwards(started: NpmStart): Promise<string | undefined> {
  try {
    const good = await fetch(`${started.apiUrl}/api/logistics/pvt/configuration/docks/dock-lisbon`, {
      signal: AbortSignal.timeout(longestMs),
      headers: { connection: 'close' },
    })
    if ((await good.text()) === '{"id":"dock-lisbon"}') return undefined
    return `a good request after it was answered with ${good.status}`
  } catch (error) {
    return `a good request after it failed: ${String(error)}\n${started.printed().slice(-2000)}`
  }
}

/** Sends the pieces and gives what came back until the server closed; it is asked to, when it has nothing to say. */
async function exchange(apiUrl: string, { pieces, pauseMs }: RawCase): Promise<Buffer | Error> {
  const { hostname, port } = new URL(apiUrl)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true })
  const chunks: Buffer[] = []
  const closed = Promise.withResolvers<Buffer | Error>()
  const isAll = () => closed.resolve(Buffer.concat(chunks))
  let isSent = false
  let quiet: NodeJS.Timeout | undefined
  const waitForMore = (ms: number) => {
    clearTimeout(quiet)
    if (isSent) quiet = setTimeout(() => socket.end(), ms)
  }
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    waitForMore(quietMs)
  })
  // Whoever is refused while still sending is reset; what came before counts.
  socket.on('error', isAll)
  socket.on('end', isAll)
  const late = new Error(`nothing closed the connection within ${longestMs / 1000} s`)
  const timer = setTimeout(() => closed.resolve(late), longestMs)
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await sleep(pauseMs)
    if (socket.writable) socket.write(piece)
  }
  isSent = true
  waitForMore(chunks.length > 0 ? quietMs : silentMs)
  const received = await closed.promise
  clearTimeout(timer)
  clearTimeout(quiet)
  socket.destroy()
  return received
}

function tell({ name, pieces }: RawCase, received: Buffer | Error): void {
  console.log(`${name}, ${pieces.length} pieces`)
  for (const piece of pieces) console.log(`  > ${JSON.stringify(piece.toString('latin1').slice(0, 2000))}`)
  console.log(`  < ${JSON.stringify(String(received).slice(0, 2000))}`)
}
