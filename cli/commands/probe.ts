import { isLoopback } from '../../functions/runtime/settings-schema/loopback.ts'
import { givenCredentials } from '../../operator/access/given.ts'
import { createSecretStore } from '../../operator/aws/secrets.aws.ts'
import type { Target } from '../../operator/deployment/deployment.ts'
import { findDeployment, readConfiguration, requireEntity } from '../../operator/deployment/deployment.ts'
import type { Setting } from '../../operator/probe/advice.ts'
import { factNames, type ProbeReport, probeReport } from '../../operator/probe/report.ts'
import type { ProbeOptions } from '../../operator/probe/run-probe.ts'
import { interruptible, probeLimits, runProbe, tokenLifeMinutes } from '../../operator/probe/run-probe.ts'
import { defineCommand, requireYes } from '../shell/command.ts'
import { formatTable } from '../shell/text-table.ts'

export const probeCommand = defineCommand({
  name: 'probe',
  summary: 'Find out how the platform behaves, and what to configure for an entity',
  argument: '<ENTITY>',
  options: {
    '-y, --yes': 'Send the requests without a prompt',
    '--token-life': `Also wait for the end of a scroll token, up to ${tokenLifeMinutes} minutes`,
    '--wrong-key': 'Also send a request with a wrong app token, which may lock the account',
  },
  description: [
    `Sends at most ${probeLimits.requests} read-only requests in ${probeLimits.minutes} minutes, and advises ` +
      '`totals`, `pageSize`, `partitions` and `increments`. The report of --json has no values of documents; `npm ' +
      'start -- --like FILE` behaves as it describes.',
    'The credentials are LONGSHORE_APP_KEY and LONGSHORE_APP_TOKEN, or those of the deployment. A platform on this ' +
      'machine is probed without a prompt.',
  ],
  examples: {
    'probe CL': 'Show what the platform does, and what to configure for CL',
    'probe CL --yes --json': 'Print the report, without a prompt',
  },
  async run(invocation) {
    const { entity: name, values, target, terminal, signal } = invocation
    const { configuration, credentials } = await findPlatform(target)
    const entity = requireEntity(configuration, name)
    const { upstream } = configuration
    const { host, hostname } = new URL(upstream.baseUrl)
    if (configuration.network)
      terminal.note(
        'With `network`, the functions call the platform from other addresses, which it may treat differently.',
      )
    if (!isLoopback(hostname)) {
      requireYes(invocation, 'probe')
      if (!values.yes && !(await terminal.confirm(questionText(host, values))))
        return { ok: false, text: 'Nothing was sent.', data: { entity: name } }
    }
    const progress = terminal.progress(`${name} requests`)
    const { facts, requests } = await runProbe(entity, values, {
      upstream,
      credentials,
      onRequest: (sent) => progress.show(sent, null),
      sleep: interruptible(signal),
      now: Date.now,
    }).finally(() => progress.end())
    const report = probeReport(name, facts)
    return { ok: true, text: probeText(report, requests), data: report }
  },
})

/** With the credentials of the environment, a platform can be probed before anything is deployed. */
async function findPlatform(target: Target) {
  const { LONGSHORE_APP_KEY: appKey, LONGSHORE_APP_TOKEN: appToken } = process.env
  if (target.kind === 'stacks' && appKey && appToken)
    return {
      configuration: await readConfiguration(target),
      credentials: givenCredentials({ appKey, appToken }),
    }
  const { configuration, secretIds } = await findDeployment(target)
  return { configuration, credentials: createSecretStore().credentials(secretIds) }
}

const questionText = (host: string, { tokenLife, wrongKey }: ProbeOptions) =>
  [
    `Send at most ${probeLimits.requests} read-only requests to ${host}, in this order: totals and dates, filters, pages and ` +
      'tokens, the end of a scroll, the index of dates, ranges? Up to 6 scrolls stay open until their tokens expire; a ' +
      'platform allows about 10.',
    ...(wrongKey ? ['One request has a wrong app token, which may lock the account.'] : []),
    ...(tokenLife
      ? [`4 more scrolls stay open, and the probe takes up to ${tokenLifeMinutes} minutes more.`]
      : []),
  ].join(' ')

/** What was found, and what to configure. docs/probe-report.md describes each fact. */
function probeText({ entity, facts, advice }: ProbeReport, requests: number): string {
  const found = factNames.map((name) => {
    const { kind, ...more } = facts[name]
    return [name, [kind.replaceAll('-', ' '), ...Object.entries(more).map(memberText)].join(', ')]
  })
  const settings = Object.entries(advice).map(([name, setting]: [string, Setting<unknown>]) => [
    name,
    setting.kind === 'set' ? valueText(setting.value) : setting.kind.replaceAll('-', ' '),
    setting.because.join(', '),
  ])
  return [
    `${entity}, by ${requests} requests:`,
    '',
    formatTable([['FACT', 'FOUND'], ...found]),
    '',
    formatTable([['SETTING', 'ADVICE', 'BECAUSE OF'], ...settings]),
  ].join('\n')
}

function memberText([name, value]: [string, unknown]): string {
  if (name === 'isStable') return value === true ? 'stable' : 'it changes'
  return `${name} ${JSON.stringify(value)}`
}

/** As in a configuration: `{ by: 'createdIn', count: 8 }`. */
const valueText = (value: unknown) =>
  JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, ' $1: ')
    .replace(/\}$/, ' }')
    .replaceAll('"', "'")
