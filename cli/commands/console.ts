import { once } from 'node:events'
import { createConsole, type ServedConsole, serveConsole } from '../../console/server/console.ts'
import type { ApiContext } from '../../console/server/context.ts'
import { findDeployment } from '../../operator/deployment/deployment.ts'
import { inspectDeployment } from '../../operator/doctor/inspect-deployment.ts'
import { explainPort, readPort } from '../../operator/port.ts'
import { silentReporter } from '../../operator/reporter.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { openBrowser } from '../shell/browser.ts'
import { defineCommand } from '../shell/command.ts'

export const consoleCommand = defineCommand({
  name: 'console',
  summary: "Serve the operator's console on this machine",
  options: {
    '-p, --port <PORT>': { summary: 'Listen on this port; 0 selects a free one', default: '0' },
    '--no-open': 'Do not open a browser',
  },
  description: [
    'Serves the page on 127.0.0.1, with your AWS permissions. The URL works once, for one browser. Ctrl-C ends the ' +
      'session.',
  ],
  examples: {
    console: 'Open the console in a browser',
    'console --no-open --port 4511': 'Print the URL only, with a fixed port',
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

async function stopped(served: ServedConsole, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
  await served.close()
}
