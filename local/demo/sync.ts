import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { problems } from '../../functions/http/result.ts'
import { formatDocuments } from '../../functions/runtime/format.ts'
import { partitionsRemark, runBars } from '../../operator/sync/run-bars.ts'
import { type ProgressBar, progressBars } from '../../operator/text/progress.ts'
import { hasEnded } from '../../stored/run/run.ts'
import type { RunView } from '../../stored/views.ts'
import type { Bundle } from '../bundle.ts'
import { output } from '../output.ts'

/** Syncs an entity and returns the run. Waits while another sync of it is running. Throws if it did not publish. */
export async function publishEntity(
  { apiUrl, logFile }: Pick<Bundle, 'apiUrl' | 'logFile'>,
  entity: string,
): Promise<RunView> {
  const run = await runSync({ apiUrl }, entity)
  for (const { attempt, reason } of await attemptsGivenUp(logFile, run)) {
    output.noted(`attempt ${attempt} was not published: ${reason} Longshore scrolled again.`)
  }
  if (run.status !== 'published') throw new Error(`The sync ended as ${run.status}: ${run.reason}`)
  output.done(`published ${formatDocuments(run.documents)}; proof: ${run.proof}`)
  for (const line of recoveryOf(run)) output.noted(line)
  const remark = partitionsRemark(run)
  if (remark) output.failed(remark)
  return run
}

export async function runSync({ apiUrl }: Pick<Bundle, 'apiUrl'>, entity: string): Promise<RunView> {
  return follow(await startSync(apiUrl, entity))
}

/** Returns the URL of the run. */
async function startSync(apiUrl: string, entity: string): Promise<string> {
  const line = `POST /syncs/${entity}` as const
  for (;;) {
    const { status, text } = await exchange(apiUrl, line)
    const isRunning = status === problems['sync-running'].status
    if (status >= 400 && !isRunning) throw failure(line, status)
    const { statusUrl } = JSON.parse(text) as { statusUrl: string }
    if (!isRunning) return statusUrl
    output.noted(`Another sync of ${entity} is running. The demo waits until it ends, then starts its own.`)
    await follow(statusUrl)
  }
}

/** Why attempts of a run were not published, as the worker logged it. */
async function attemptsGivenUp(logFile: string, { runId }: RunView) {
  const lines = (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.includes(runId))
  return lines
    .map((line): { message: string; attempt: number; reason: string } => JSON.parse(line))
    .filter(({ message }) => message === 'attempt given up')
}

/** What the run recovered from, by its own record. */
function recoveryOf({ attempt, suspect, faults }: RunView): string[] {
  const counts = Object.entries(faults).map(([fault, count]) => `${count} × ${fault}`)
  return [
    ...(counts.length > 0 ? [`faults: ${counts.join(', ')}`] : []),
    ...(attempt > 1 ? [`published by attempt ${attempt}`] : []),
    ...(suspect ? ['the attempt was suspect, so its count had to match the reported total exactly'] : []),
  ]
}

/** Shows the progress of a run until it ends. */
export async function follow(statusUrl: string): Promise<RunView> {
  const bars = progressBars(process.stdout)
  try {
    for (;;) {
      const run = await readJson<RunView>(statusUrl)
      bars.show(runBars(run).map(indented))
      if (hasEnded(run)) return run
      await wait(100)
    }
  } finally {
    bars.end()
  }
}

const indented = (bar: ProgressBar): ProgressBar => ({ ...bar, title: `  ${bar.title}` })

type Method = 'GET' | 'PATCH' | 'POST'
export type RequestLine = `${Method} /${string}`

export interface ApiResponse {
  readonly status: number
  readonly text: string
}

/** Sends one request through the API, prints it and returns the JSON of the response. Throws if it fails. */
export async function sendRequest<T>(apiUrl: string, line: RequestLine, body?: object): Promise<T> {
  const { status, text } = await exchange(apiUrl, line, body)
  if (status >= 400) throw failure(line, status)
  return JSON.parse(text) as T
}

/** Sends one request through the API, prints it and returns the response, whatever its status. */
async function exchange(apiUrl: string, line: RequestLine, json?: object): Promise<ApiResponse> {
  const body = json && JSON.stringify(json)
  output.request(body ? `${line}  ${body}` : line)
  const [method = '', path = ''] = line.split(' ')
  const response = await fetch(apiUrl + path, {
    method,
    ...(body && { body, headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await response.text()
  output.respond(response.status, text)
  return { status: response.status, text }
}

const failure = (line: RequestLine, status: number) => new Error(`${line} returned ${status}.`)

/** Reads JSON without printing it. */
export const readJson = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T

/** Polls until it is true. */
export async function eventually(
  isTrue: () => Promise<boolean>,
  what: 'comparison' | 'table' = 'comparison',
): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`The ${what} did not end within 20 seconds.`)
    await wait(100)
  }
}
