import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type ApiContext, consoleApiRoutes } from '../../console/server/api.ts'
import { readAssets } from '../../console/server/assets.ts'
import { createConsole } from '../../console/server/console.ts'
import { exportedPage, recordResponses } from '../../console/server/export.ts'
import { type ServedConsole, serveConsole } from '../../console/server/serve.ts'
import { findDeployment } from '../../operator/deployment/deployment.ts'
import { inspectDeployment } from '../../operator/doctor/inspect-deployment.ts'
import { explainPort, readPort } from '../../operator/port.ts'
import { silentReporter } from '../../operator/reporter.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { openBrowser } from '../shell/browser.ts'
import { type CommandResult, defineCommand } from '../shell/command.ts'

export const consoleCommand = defineCommand({
  name: 'console',
  summary: "Serve the operator's console on this machine",
  options: {
    '-p, --port <PORT>': { summary: 'Listen on this port; 0 selects a free one', default: '0' },
    '--no-open': 'Do not open a browser',
    '--export <FILE>': 'Write the page with what it shows now to a file, then exit',
  },
  description: [
    'Serves a web page on 127.0.0.1 that shows syncs, snapshots and change sets, and does what the commands do with them. It uses the AWS ' +
      'permissions of the caller. Nothing is deployed for it, and it stores nothing.',
    'The URL contains a token that works once: the browser that opens it first gets a session cookie, and every other ' +
      'request is refused. Ctrl-C ends the session.',
    '--export writes one HTML file for people without access, which any browser opens. It has what the console shows now: what ' +
      'needs attention, the timeline, the entities and their last runs with their log lines, but no documents and no actions.',
  ],
  examples: {
    console: 'Open the console in a browser',
    'console --no-open --port 4511': 'Print the URL only, with a fixed port',
    'console --export console.html': 'Write a page for colleagues without access',
  },
  async run({ values, target, terminal, signal }) {
    const port = readPort(values.port)
    const deployment = await findDeployment(target)
    const context: ApiContext = {
      deployment,
      syncs: openSyncs(deployment, terminal),
      target: () => target,
      inspect: () => inspectDeployment(target, silentReporter),
    }
    if (values.export !== undefined) return exportConsole(context, values.export)
    const console = await createConsole(context)
    const served = await serveConsole(console, port).catch((error: unknown) => {
      throw explainPort(port, error)
    })
    terminal.note(`Console: ${served.url}`)
    terminal.note('Press Ctrl-C to stop.')
    const opened = values.open && terminal.isInteractive ? openBrowser(served.url) : undefined
    await stopped(served, signal)
    opened?.remove()
    return { ok: true, text: 'The console has stopped.', data: {} }
  },
})

async function exportConsole(context: ApiContext, file: string): Promise<CommandResult> {
  const exported = await recordResponses(consoleApiRoutes(context))
  const page = exportedPage(readAssets(), exported)
  await writeFile(file, page)
  return {
    ok: true,
    text: `Wrote ${file}, as of ${exported.takenAt}.`,
    data: { file, takenAt: exported.takenAt },
  }
}

async function stopped(served: ServedConsole, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
  await served.close()
}
