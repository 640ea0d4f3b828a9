import { formatCount } from '../../functions/runtime/format.ts'
import type { Advice, Setting } from '../../operator/probe/advice.ts'
import { type FactName, type Facts, factNames, type ProbeReport } from '../../operator/probe/report.ts'
import { formatTable } from '../shell/text-table.ts'

const labels: Readonly<Record<FactName, string>> = {
  searchTotal: 'total of searches',
  createdIn: 'createdIn',
  updatedIn: 'updatedIn',
  searchFilter: 'filters of searches',
  unknownField: 'filters on unknown fields',
  scrollTotal: 'total of scrolls',
  token: 'scroll token',
  spentToken: 'token that was used before',
  pageSize: 'page size',
  totalCheck: 'total, compared with documents',
  scrollFilter: 'filters of scrolls',
  end: 'end of a scroll',
  afterEnd: 'request after the end',
  createdInIndex: 'index of createdIn',
  updatedInIndex: 'index of updatedIn',
  ranges: 'ranges of a date',
  coding: 'compression without a request',
  cache: 'cache before the platform',
  cookies: 'cookies',
  clock: 'clock of the platform',
  retryAfter: 'Retry-After',
  tokenLife: 'life of a token',
  wrongKey: 'wrong key',
}

/** A table of what was found, and what to configure. */
export function probeText({ entity, facts, advice }: ProbeReport, requests: number): string {
  const rows = factNames.map((name) => [labels[name], factText(facts[name])])
  return [
    `${entity}, by ${formatCount(requests)} requests:`,
    '',
    formatTable([['FACT', 'FOUND'], ...rows]),
    '',
    formatTable([['SETTING', 'ADVICE', 'BECAUSE OF'], ...adviceRows(advice)]),
  ].join('\n')
}

/** `reported, documents 120, stable`. */
function factText({ kind, ...more }: Facts[FactName]): string {
  const members = Object.entries(more).map(([name, value]) => memberText(name, value))
  return [wordsOf(kind), ...members].join(', ')
}

function memberText(name: string, value: unknown): string {
  if (name === 'isStable') return value === true ? 'stable' : 'it changes'
  if (name === 'separator') return value === '=' ? 'after an equals sign' : 'after a space'
  if (typeof value === 'number') return `${wordsOf(name)} ${formatCount(value)}`
  return `${wordsOf(name)} ${value === null ? 'not seen' : String(value)}`
}

const wordsOf = (name: string) =>
  name.replaceAll('-', ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function adviceRows(advice: Advice): string[][] {
  return Object.entries(advice).map(([name, setting]: [string, Setting<unknown>]) => [
    name,
    settingText(setting),
    setting.because.map((fact) => labels[fact]).join('; '),
  ])
}

function settingText(setting: Setting<unknown>): string {
  switch (setting.kind) {
    case 'set':
      return JSON.stringify(setting.value)
        .replaceAll('"', "'")
        .replaceAll(/'(\w+)':/g, ' $1: ')
        .replace(/\}$/, ' }')
    case 'leave-out':
      return 'leave it out'
    case 'unknown':
      return 'not known'
  }
}
