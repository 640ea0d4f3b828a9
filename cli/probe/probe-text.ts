import type { Setting } from '../../operator/probe/advice.ts'
import { factNames, type ProbeReport } from '../../operator/probe/report.ts'
import { formatTable } from '../shell/text-table.ts'

/** What was found, and what to configure. docs/probe-report.md describes each fact. */
export function probeText({ entity, facts, advice }: ProbeReport, requests: number): string {
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
