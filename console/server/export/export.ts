import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mapPooled } from '../../../functions/runtime/map-pooled.ts'
import { CommandError } from '../../../operator/errors.ts'
import { apiPrefix, type ErrorResponse, exportVariable } from '../../contract/api.ts'
import type { EntityResponse, OverviewResponse } from '../../contract/overview.ts'
import type { RunsResponse } from '../../contract/run-rows.ts'
import type { TimelineResponse } from '../../contract/timeline.ts'
import { type ApiContext, consoleApiRoutes } from '../api.ts'
import { readAssets } from '../assets.ts'
import { type Routes, respondToRoute } from '../routes.ts'
import { exportedHtml } from './html.ts'
import { exportedResponses } from './responses.ts'

const maxConcurrentReads = 8

/** Writes the overview, the timeline and the entities as they are now, as a page that needs no server. */
export async function exportConsole(context: ApiContext, folder: string): Promise<{ entities: number }> {
  const read = readerOf(consoleApiRoutes(context))
  const overview = await read<OverviewResponse>('/overview')
  const timelines = await mapPooled([1, 7], 1, async (days) => ({
    days,
    response: await read<TimelineResponse>(`/timeline?days=${days}&after=0`),
  }))
  const entities = await mapPooled(overview.entities, maxConcurrentReads, async ({ entity }) => {
    const path = `/entities/${encodeURIComponent(entity)}`
    const [response, runs] = await Promise.all([
      read<EntityResponse>(path),
      read<RunsResponse>(`${path}/runs`),
    ])
    return { entity: response, runs }
  })
  const responses = exportedResponses({ overview, timelines, entities })
  const assets = readAssets()
  const asset = (path: string) => String(Buffer.from(assets.get(path)?.body as Uint8Array))
  await mkdir(folder, { recursive: true })
  const write = (name: string, content: string) => writeFile(join(folder, name), content)
  await Promise.all([
    write('index.html', exportedHtml(asset('/'))),
    write('console.js', asset('/console/console.js')),
    write('style.css', asset('/console/style.css')),
    write('data.js', `globalThis.${exportVariable} = ${JSON.stringify(responses)}\n`),
  ])
  return { entities: entities.length }
}

/** Reads what the page would read. Throws `CommandError`. */
function readerOf(routes: Routes) {
  return async <T>(path: string): Promise<T> => {
    const request = { method: 'GET', url: new URL(`http://console${apiPrefix}${path}`) }
    const { status, body } = await respondToRoute(routes, request, async () => undefined)
    const parsed = JSON.parse(body as string) as unknown
    if (status === 200) return parsed as T
    const { message, fix } = parsed as ErrorResponse
    throw new CommandError(message, { ...(fix !== undefined && { fix }) })
  }
}
