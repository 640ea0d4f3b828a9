import { createHash } from 'node:crypto'
import { formatMinute } from '../../functions/runtime/format.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { CommandError } from '../../operator/errors.ts'
import { apiPrefix, type ErrorResponse, type ExportedResponses, exportVariable } from '../contract/api.ts'
import type { EntityRow, OverviewResponse } from '../contract/overview.ts'
import type { RunsResponse } from '../contract/run-rows.ts'
import type { Assets } from './assets.ts'
import { contentSecurityPolicy } from './respond.ts'
import { type Routes, respondToRoute } from './routes.ts'

const maxRunsOfEntity = 10
const maxRuns = 200
const timelineHours = [1, 6, 24, 168]
const maxConcurrentReads = 4

/** Reads what the page shows without documents: the overview, the timeline, entities and their last runs. Throws `CommandError`. */
export async function recordResponses(routes: Routes): Promise<ExportedResponses> {
  const responses: Record<string, { status: number; body: unknown }> = {}

  /** What a route responds; undefined if it refuses or fails, which the page then shows. */
  async function record<T>(path: string): Promise<T | undefined> {
    const url = new URL(`${apiPrefix}${path}`, 'http://console')
    const { status, body } = await respondToRoute(routes, { method: 'GET', url }, async () => undefined)
    responses[path] = { status, body: JSON.parse(body as string) as unknown }
    return status === 200 ? (responses[path].body as T) : undefined
  }

  async function recordEntity({ entity, running, lastRun, problems }: EntityRow, newest: number) {
    const path = `/entities/${encodeURIComponent(entity)}`
    await record(path)
    const { runs } = (await record<RunsResponse>(`${path}/runs`)) ?? { runs: [] }
    const linked = [
      running?.runId,
      lastRun?.runId,
      ...problems.map(({ step }) => (step && 'runId' in step ? step.runId : undefined)),
    ]
    const ids = [...runs.slice(0, newest).map(({ runId }) => runId), ...linked]
    for (const id of new Set(ids.filter((one) => one !== undefined))) {
      for (const end of ['', '/speed', '/logs']) await record(`${path}/runs/${id}${end}`)
    }
  }

  // First, so that the overview has the problems that only the doctor finds.
  await record('/health')
  await record('/about')
  const overview = await record<OverviewResponse>('/overview')
  if (!overview) {
    const { message } = (responses['/overview'] as { body: ErrorResponse }).body
    throw new CommandError(message)
  }
  for (const hours of timelineHours) await record(`/timeline?hours=${hours}&after=0`)
  const { entities, now } = overview
  const newest = Math.max(1, Math.min(maxRunsOfEntity, Math.floor(maxRuns / entities.length)))
  await mapPooled(entities, maxConcurrentReads, (row) => recordEntity(row, newest))
  return { takenAt: formatMinute(now), responses }
}

/** The page in one file, with the responses that it shows. */
export function exportedPage(assets: Assets, exported: ExportedResponses): string {
  const [html = '', code = '', style = ''] = ['/', '/console/console.js', '/console/style.css'].map(
    (path) => assets.get(path)?.body,
  )
  const data = `globalThis.${exportVariable} = ${JSON.stringify(exported).replaceAll('<', '\\u003c')}`
  const script = `${hashOf(data)} ${hashOf(code)}`
  const policy = contentSecurityPolicy({ script, style: hashOf(style), connect: "'none'" })
  const notice = `Exported at ${exported.takenAt}. This page does not update, and has no documents.`
  const parts = {
    '<html ': '<html class="exported" ',
    '<meta charset="utf-8">': `<meta charset="utf-8">\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<link rel="stylesheet" href="/console/style.css">': `<style>${style}</style>`,
    '<div id="app">': `<aside class="banner" aria-label="Export"><p>${notice}</p></aside>\n    <div id="app">`,
    '<script type="module" src="/console/console.js">': `<script>${data}</script>\n    <script type="module">${code}`,
  }
  return Object.entries(parts).reduce((page, [from, to]) => page.replace(from, () => to), html)
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
