import { findDeployment } from '../../operator/deployment/deployment.ts'
import { Interrupted } from '../../operator/errors.ts'
import { followLines } from '../../operator/sync/follow.ts'
import { linesOfRun, lineText } from '../../operator/sync/line.ts'
import { logPeriod, openLog, requireRun } from '../../operator/sync/run-logs.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import { linesText } from '../logs/log-text.ts'
import { defineCommand } from '../shell/command.ts'
import { wrap } from '../shell/wrap.ts'
import { phasesText } from '../sync/run-table.ts'

export const logsCommand = defineCommand({
  name: 'logs',
  summary: 'Show the log lines of a run',
  argument: '<RUN|ENTITY>',
  options: { '-f, --follow': 'Print new lines as they are logged, until Ctrl-C' },
  description: [
    'ENTITY selects its run in progress, or else its last one. Times are in UTC. Lambda logs timeouts and a lack of ' +
      'memory without a run id: see the saved query Crashes.',
    '--json prints `entity`, `runId`, `story` and `lines`; with --follow, one line of JSON for each log line, and ' +
      'for the error that ends the command, with `error` and `fix`.',
  ],
  examples: {
    'logs CL': 'Show the log lines of the last run of CL',
    'logs 20261121T120000000Z-0123456789ab': 'Show the log lines of another run',
    'logs CL --follow': 'Follow the run of CL that is in progress, or its last run',
  },
  async run({ entity: word, values, target, json, terminal, pause, signal }) {
    const deployment = await findDeployment(target)
    const { configuration } = deployment
    const syncs = openSyncs(deployment, terminal)
    const run = await requireRun(word, { configuration, syncs, target })
    const { entity, runId } = run
    const heading = `Run ${runId} of ${entity}`
    const read = await openLog(deployment)
    const period = logPeriod(run, deployment.now())
    if (values.follow) {
      const print = (text: string) => terminal.result(wrap(text, terminal.columns))
      if (!json) print(`${heading}:`)
      const options = { read, now: deployment.now, pause, signal }
      for await (const line of followLines(period, options)) {
        const text = lineText(line)
        if (json) terminal.result(JSON.stringify(line))
        else if (text !== undefined) print(text)
      }
      throw new Interrupted(`Stopped following run ${runId} of ${entity}.`)
    }
    const lines = linesOfRun(runId, await read(period, signal))
    const story = await syncs.readStory(entity, runId)
    const text = `${linesText(heading, lines)}

${phasesText(story)}`
    return { ok: true, text, data: { entity, runId, story, lines } }
  },
})
