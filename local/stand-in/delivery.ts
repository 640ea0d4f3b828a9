import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Area } from '../../functions/platform/areas.ts'
import type { Effect, InjectedFault } from './faults.ts'
import { type PlatformResponse, refusalResponse } from './platform-response.ts'

/** Whether the platform acts on the request before this fault strikes. */
export function hasEffect(fault: InjectedFault | undefined): boolean {
  if (fault === undefined) return true
  const effect: Effect | undefined = 'effect' in fault ? fault.effect : undefined
  if (effect) return effect === 'after'
  return !['redirect', 'huge', 'status', 'html'].includes(fault.kind) && !isSilent(fault)
}

/** Whether not even a status line is sent. */
export function isSilent(fault: InjectedFault | undefined): boolean {
  return fault?.kind === 'reset' || (fault?.kind === 'hang' && fault.part === undefined)
}

/** The response that is sent in place of the intended one. */
export function distort(
  result: PlatformResponse,
  fault: InjectedFault | undefined,
  area: Area | undefined,
): PlatformResponse {
  if (fault?.kind === 'status') {
    const usual = refusalResponse(area, fault.status, `Status ${fault.status}`)
    const body = fault.body === undefined ? usual.body : Buffer.from(fault.body)
    return { status: fault.status, headers: { ...usual.headers, ...fault.headers }, body }
  }
  if (fault?.kind === 'html') {
    const page = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>One moment…</body></html>'
    return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: Buffer.from(page) }
  }
  if (fault?.kind === 'redirect') {
    const headers = { Location: fault.location ?? '/login' }
    return { status: fault.status ?? 302, headers, body: Buffer.alloc(0) }
  }
  if (fault?.kind === 'huge') {
    const body = Buffer.alloc(fault.bytes, 'x')
    if (fault.bytes >= 4) {
      body.write('["', 0)
      body.write('"]', fault.bytes - 2)
    }
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body }
  }
  if (fault?.kind === 'gzip') {
    const headers = { ...result.headers, 'Content-Encoding': 'gzip' }
    return { ...result, headers, body: partOf(gzipSync(result.body), fault.part ?? 1) }
  }
  // The others act on the connection, or acted while the response was made.
  return fault?.kind === 'body' ? { ...result, body: fault.change(result.body) } : result
}

/** What a deployment, or a server before it, does with every response. */
export interface ResponseForm {
  readonly headers?: Readonly<Record<string, string>>
  readonly coding?: 'identity' | 'gzip'
  /** How far `Date` is ahead of this machine's clock; `none` without `Date`. */
  readonly clockMinutes?: number | 'none'
}

/** The response in the form in which it is sent, if no fault changes it. */
export function inForm(
  result: PlatformResponse,
  { headers, coding, clockMinutes = 0 }: ResponseForm = {},
): PlatformResponse {
  const coded = coding === 'gzip' && result.body.length > 0 ? gzipSync(result.body) : undefined
  const date = clockMinutes === 'none' ? '' : new Date(Date.now() + clockMinutes * 60_000).toUTCString()
  const own = { ...(clockMinutes !== 0 && { Date: date }), ...(coded && { 'Content-Encoding': 'gzip' }) }
  return { ...result, headers: { ...result.headers, ...headers, ...own }, body: coded ?? result.body }
}

/** Sends the response, or as much of it as the fault allows. */
export async function deliverResponse(
  response: ServerResponse,
  result: PlatformResponse,
  fault?: InjectedFault,
): Promise<void> {
  if (fault?.kind === 'reset') {
    response.socket?.resetAndDestroy()
  } else if (fault?.kind === 'hang') {
    if (fault.part === undefined) return
    open(response, result, 'length')
    response.write(partOf(result.body, fault.part))
  } else if (fault?.kind === 'cut') {
    cut(response, result, fault)
  } else if (fault?.kind === 'slow') {
    await slow(response, result, fault)
  } else {
    open(response, result, 'length')
    response.end(result.body)
  }
}

type Framing = NonNullable<Extract<InjectedFault, { kind: 'cut' }>['framing']>

function open(response: ServerResponse, result: PlatformResponse, framing: Framing) {
  response.statusCode = result.status
  response.sendDate = result.headers['Date'] === undefined
  for (const [name, value] of Object.entries(result.headers))
    if (value !== '') response.setHeader(name, value)
  // RFC 9110 section 8.6: a 204 has no Content-Length.
  if (framing === 'length' && result.status !== 204) response.setHeader('Content-Length', result.body.length)
  response.flushHeaders()
}

function cut(
  response: ServerResponse,
  result: PlatformResponse,
  fault: Extract<InjectedFault, { kind: 'cut' }>,
) {
  const framing = fault.framing ?? 'length'
  const { socket } = response
  const sent = partOf(result.body, fault.part ?? 0.5)
  if (framing === 'close') {
    // RFC 9112 section 6.3 rule 8: the body ends where the connection does, so a cut is invisible.
    const lines = Object.entries(result.headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `HTTP/1.1 ${result.status} OK\r\n${lines.join('')}Connection: close\r\n\r\n`
    socket?.end(Buffer.concat([Buffer.from(head), sent]))
    return
  }
  open(response, result, framing)
  response.write(sent, () => socket?.end())
}

async function slow(
  response: ServerResponse,
  result: PlatformResponse,
  fault: Extract<InjectedFault, { kind: 'slow' }>,
) {
  const { beforeHeadersMs = 0, betweenChunksMs = 0, chunkBytes = 1024 } = fault
  const hasGone = () => response.destroyed || response.socket === null
  await wait(beforeHeadersMs)
  if (hasGone()) return
  open(response, result, 'length')
  for (let from = 0; from < result.body.length && betweenChunksMs > 0; from += chunkBytes) {
    if (hasGone()) return
    response.write(result.body.subarray(from, from + chunkBytes))
    await wait(betweenChunksMs)
  }
  response.end(betweenChunksMs > 0 ? undefined : result.body)
}

function partOf(body: Buffer, part: number): Buffer {
  return body.subarray(0, Math.floor(body.length * part))
}
