import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from '../../local/stand-in/platform.ts'
import type { NpmStart } from '../npm-start.ts'
import { type RawCase, rawCase, smuggled } from './raw-cases.ts'
import { parseResponses } from './strict-responses.ts'
import { brokenPromise } from './upstream-promise.ts'

const maxExchangeMs = 10_000
const maxShownFailures = 5

interface RawFuzz {
  readonly started: NpmStart
  readonly platform: Platform
  readonly seed: number
  readonly cases: readonly number[]
  /** `each-case` prints what was sent and received. */
  readonly output: 'summary' | 'each-case'
}

/** Cases that are sent in parallel. */
const parallelCases = 16
/** A response is complete after this time without a byte. The connection is closed then. */
const quietMs = 40
/** The same before the first byte. */
const silentMs = 250

/**
 * Sends raw bytes, each case over its own connection. The gateway must respond in well-formed HTTP without a 5xx,
 * forward only what the endpoints list, keep running, and serve a valid request afterwards. True if it does.
 */
export async function fuzzRaw({ started, platform, seed, cases, output }: RawFuzz): Promise<boolean> {
  const statuses = new Map<number | 'none', number>()
  const startedAt = performance.now()
  let forwarded = 0
  let failures = 0
  const fail = (indices: readonly number[], wrong: string) => {
    failures += 1
    if (failures > maxShownFailures) return
    console.log(`\n${indices.length > 1 ? 'one of these cases' : 'a case'}: ${wrong}`)
    for (const index of indices) {
      console.log(`  repeat: npm run fuzz -- --seed ${seed} --case ${index}  (${rawCase(seed, index).name})`)
    }
  }
  for (let at = 0; at < cases.length && started.process.exitCode === null; at += parallelCases) {
    const indices = cases.slice(at, at + parallelCases)
    const made = indices.map((index) => rawCase(seed, index))
    platform.requests.length = 0
    const received = await Promise.all(made.map((one) => exchange(started.apiUrl, one)))
    for (const [index, caseIndex] of indices.entries()) {
      const result = received[index] ?? new Error('nothing was sent')
      const wrong = brokenResponse(result, statuses)
      if (wrong !== undefined) fail([caseIndex], wrong)
      if (output === 'each-case' && made[index]) print(made[index], result)
    }
    forwarded += platform.requests.length
    const broken = platform.requests.map(brokenPromise).find((promise) => promise !== undefined)
    if (broken !== undefined) fail(indices, `a forwarded request breaks a promise: ${broken}`)
    if (platform.requests.some(({ url }) => url.includes(smuggled)))
      fail(indices, 'a request hidden inside another was forwarded')
    const after = await probe(started)
    if (after !== undefined) fail(indices, after)
  }
  const counted = [...statuses].toSorted(([one], [other]) => Number(one) - Number(other))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`\nRaw bytes: ${cases.length} connections in ${seconds} s, seed ${seed}. Responses by status:`)
  console.log(`  ${counted.map(([status, times]) => `${status}: ${times}`).join('  ')}`)
  console.log(`  ${forwarded} requests forwarded`)
  console.log(`  ${failures} failures`)
  return failures === 0
}

function brokenResponse(
  received: Buffer | Error,
  statuses: Map<number | 'none', number>,
): string | undefined {
  if (received instanceof Error) return received.message
  const count = (status: number | 'none') => statuses.set(status, (statuses.get(status) ?? 0) + 1)
  try {
    const responses = parseResponses(received)
    for (const { status } of responses) count(status)
    if (responses.length === 0) count('none')
    const fault = responses.find(({ status }) => status >= 500)
    return fault && `returned ${fault.status}: ${String(fault.body).slice(0, 300)}`
  } catch (error) {
    return `${String(error)} The response was: ${JSON.stringify(String(received).slice(0, 300))}`
  }
}

/** What is wrong with the gateway after the cases. */
async function probe(started: NpmStart): Promise<string | undefined> {
  try {
    const good = await fetch(`${started.apiUrl}/api/logistics/pvt/configuration/docks/dock-lisbon`, {
      signal: AbortSignal.timeout(maxExchangeMs),
      headers: { connection: 'close' },
    })
    if ((await good.text()) === '{"id":"dock-lisbon"}') return undefined
    return `a valid request afterwards received ${good.status}`
  } catch (error) {
    return `a valid request afterwards failed: ${String(error)}\n${started.printed().slice(-2000)}`
  }
}

/** Sends the pieces and returns everything received until the server closes the connection. */
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
  // A server that refuses a request while it is being sent resets the connection. What was received counts.
  socket.on('error', isAll)
  socket.on('end', isAll)
  const late = new Error(`the connection was not closed within ${maxExchangeMs / 1000} s`)
  const timer = setTimeout(() => closed.resolve(late), maxExchangeMs)
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

function print({ name, pieces }: RawCase, received: Buffer | Error): void {
  console.log(`${name}, ${pieces.length} pieces`)
  for (const piece of pieces) console.log(`  > ${JSON.stringify(piece.toString('latin1').slice(0, 2000))}`)
  console.log(`  < ${JSON.stringify(String(received).slice(0, 2000))}`)
}
