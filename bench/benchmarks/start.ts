import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as esbuild from 'esbuild'
import { bundleOptions } from '../../scripts/bundle-options.ts'
import { gatewayEvent } from '../function-call.ts'
import { entity } from '../names.ts'
import { type CpuShare, functionEnvironment, measure, startServer } from '../processes.ts'
import { atMost, type Figures, figure, median, percentile, type Report, type Target } from '../report.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The functions of the API, each with the smallest function with the SDK that it is compared with. */
const functions = [
  {
    name: 'proxy',
    bare: 'proxy',
    event: gatewayEvent('GET /api/logistics/pvt/configuration/docks/{dockId}', { dockId: 'main' }),
  },
  { name: 'sync-api', bare: 'sync-api', event: gatewayEvent('GET /syncs/{entity}', { entity }) },
  { name: 'openapi', bare: 'sync-api', event: gatewayEvent('GET /openapi.json', {}) },
] as const

const variants = ['Longshore', 'bare client'] as const
type Variant = (typeof variants)[number]

interface StartFigures extends Figures {
  readonly importMs: number
  readonly warmMs: number
}

const dockUpstream = { documents: 1000, bytes: 1024, pageSize: 1000, delayMs: 0 }

/** From the import of a function to its first response, each time in a new process. */
export async function benchStart({ quick }: { quick: boolean }): Promise<Report> {
  const starts = quick ? 3 : 20
  const folder = mkdtempSync(join(tmpdir(), 'longshore-bench-'))
  await using platform = await startServer<{ endpoint: string }>('upstream', dockUpstream)
  await using aws = await startServer<Record<string, string>>('aws')
  using deployment = functionEnvironment(platform.ready.endpoint, aws.ready)
  const rows: string[][] = []
  const targets: Target[] = []
  try {
    for (const { name, bare, event } of functions) {
      const files: Record<Variant, string> = {
        Longshore: join(root, `dist/${name}/handler.mjs`),
        'bare client': await bundle(`bench/bare/${bare}.ts`, join(folder, name)),
      }
      const runs: Record<Variant, StartFigures[]> = { Longshore: [], 'bare client': [] }
      for (let start = 0; start < starts; start++) {
        for (const variant of variants) {
          runs[variant].push(
            await measure<StartFigures>('start', {
              arguments: [files[variant], JSON.stringify(event)],
              variables: deployment.variables,
            }),
          )
        }
      }
      const total = (variant: Variant) => runs[variant].map(({ seconds }) => seconds * 1000)
      for (const variant of variants) {
        rows.push([
          `${name}, ${variant}`,
          figure(median(runs[variant].map(({ importMs }) => importMs))),
          figure(median(total(variant))),
          figure(percentile(total(variant), 95)),
        ])
      }
      const ratio = median(total('Longshore')) / median(total('bare client'))
      targets.push(atMost(`${name}: time over the bare client`, ratio, '1.15 x'))
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return {
    title: `4. Cold start: import, first secret or read, first response; ${starts} new processes each; ms`,
    columns: ['', 'import', 'total, median', 'p95'],
    rows,
    targets,
  }
}

/** The proxy's cold start and its warm calls with a share of a processor. */
export async function startsAt(share: CpuShare, starts: number) {
  await using platform = await startServer<{ endpoint: string }>('upstream', dockUpstream)
  await using aws = await startServer<Record<string, string>>('aws')
  using deployment = functionEnvironment(platform.ready.endpoint, aws.ready)
  const [{ name, event }] = functions
  const runs: StartFigures[] = []
  for (let start = 0; start < starts; start++) {
    runs.push(
      await measure<StartFigures>('start', {
        arguments: [join(root, `dist/${name}/handler.mjs`), JSON.stringify(event)],
        variables: deployment.variables,
        share,
      }),
    )
  }
  return {
    coldMs: median(runs.map(({ seconds }) => seconds * 1000)),
    // Its upstream responds at once.
    warmMs: median(runs.map(({ warmMs }) => warmMs)),
  }
}

/** Bundles a file as scripts/build.ts does. Returns the path of the entry. */
async function bundle(file: string, folder: string): Promise<string> {
  await esbuild.build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: { handler: file },
    outdir: folder,
    logLevel: 'error',
  })
  return join(folder, 'handler.mjs')
}
