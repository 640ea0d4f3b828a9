import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'
import type { CpuShare } from './cpu-share.ts'
import { call } from './function-call.ts'
import type { Figures } from './measured/report.ts'
import { measure, startServer } from './processes.ts'
import { atMost, figure, median, percentile, type Report, type Target } from './table.ts'
import { entity, functionEnvironment } from './worker-environment.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Each function that the API calls, and the least that it could be with the SDK. */
const functions = [
  {
    name: 'proxy',
    bare: 'proxy',
    event: call('GET /api/logistics/pvt/configuration/docks/{dockId}', { dockId: 'main' }),
  },
  { name: 'sync-api', bare: 'sync-api', event: call('GET /syncs/{entity}', { entity }) },
  { name: 'openapi', bare: 'sync-api', event: call('GET /openapi.json', {}) },
] as const

const variants = ['Longshore', 'bare client', 'single file'] as const
type Variant = (typeof variants)[number]

interface StartFigures extends Figures {
  readonly importMs: number
  readonly warmMs: number
}

const dockUpstream = { documents: 1000, bytes: 1024, pageSize: 1000, delayMs: 0 }

/** From the import of a function to the last byte of its first answer, each time in a fresh process. */
export async function benchStart({ quick }: { quick: boolean }): Promise<Report> {
  const starts = quick ? 3 : 20
  const folder = mkdtempSync(join(tmpdir(), 'longshore-bench-'))
  const platform = await startServer<{ endpoint: string }>('upstream', dockUpstream)
  const aws = await startServer<Record<string, string>>('aws')
  const surroundings = functionEnvironment(platform.ready.endpoint, aws.ready)
  const rows: string[][] = []
  const targets: Target[] = []
  try {
    for (const { name, bare, event } of functions) {
      const files: Record<Variant, string> = {
        Longshore: join(root, `dist/${name}/handler.mjs`),
        'bare client': await bundle({ file: `bench/bare/${bare}.ts` }, join(folder, name, 'bare')),
        'single file': await bundle(
          { file: `functions/${name}/handler.ts` },
          join(folder, name, 'single'),
          false,
        ),
      }
      const found: Record<Variant, StartFigures[]> = { Longshore: [], 'bare client': [], 'single file': [] }
      for (let start = 0; start < starts; start++) {
        for (const variant of variants) {
          found[variant].push(
            await measure<StartFigures>('start', {
              arguments: [files[variant], JSON.stringify(event)],
              variables: surroundings.variables,
            }),
          )
        }
      }
      const total = (variant: Variant) => found[variant].map(({ seconds }) => seconds * 1000)
      for (const variant of variants) {
        rows.push([
          `${name}, ${variant}`,
          figure(median(found[variant].map(({ importMs }) => importMs))),
          figure(median(total(variant))),
          figure(percentile(total(variant), 95)),
        ])
      }
      const over = (variant: Variant) => median(total('Longshore')) / median(total(variant))
      targets.push(atMost(`${name}: over the bare client`, over('bare client'), { limit: 1.1 }))
      if (name === 'proxy')
        targets.push(atMost(`${name}: over its single-file build`, over('single file'), { limit: 0.9 }))
    }
  } finally {
    surroundings.remove()
    rmSync(folder, { recursive: true })
    await Promise.all([platform.close(), aws.close()])
  }
  return {
    title: `4. Start: import, first secret or read, first answer; ${starts} fresh processes each; ms`,
    columns: ['', 'import', 'total, median', 'p95'],
    rows,
    targets,
  }
}

export interface StartCurve {
  readonly coldMs: number
  /** Processor and waiting of a warm call whose upstream answers at once. */
  readonly warmMs: number
}

/** The proxy's first call and its later ones, with this part of a processor. */
export async function startsAt(share: CpuShare, starts: number): Promise<StartCurve> {
  const platform = await startServer<{ endpoint: string }>('upstream', dockUpstream)
  const aws = await startServer<Record<string, string>>('aws')
  const surroundings = functionEnvironment(platform.ready.endpoint, aws.ready)
  const [{ name, event }] = functions
  try {
    const found: StartFigures[] = []
    for (let start = 0; start < starts; start++) {
      found.push(
        await measure<StartFigures>('start', {
          arguments: [join(root, `dist/${name}/handler.mjs`), JSON.stringify(event)],
          variables: surroundings.variables,
          share,
        }),
      )
    }
    return {
      coldMs: median(found.map(({ seconds }) => seconds * 1000)),
      warmMs: median(found.map(({ warmMs }) => warmMs)),
    }
  } finally {
    surroundings.remove()
    await Promise.all([platform.close(), aws.close()])
  }
}
