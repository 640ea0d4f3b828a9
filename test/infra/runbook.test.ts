import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { metricTable } from '../../functions/runtime/metric-table.ts'
import { savedQueries } from '../../lib/monitoring/saved-queries.ts'
import { synthesise } from './synthesise.ts'

const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8')
const [alarmSections = '', afterwards = ''] = runbook.split('\n---\n')
const sections = alarmSections.split(/^## /m).slice(1)
const titleOf = (section: string) => section.slice(0, section.indexOf('\n'))
/** As GitHub and others make it of a heading. */
const anchorOf = (title: string) => title.toLowerCase().replaceAll(' ', '-')

let links: string[]
beforeAll(() => {
  links = synthesise({ entities: [{ name: 'CL', schedule: 'rate(1 day)' }] })
    .of('AWS::CloudWatch::Alarm')
    .map(({ properties }) => /docs\/runbook\.md#([a-z-]+)/.exec(properties.AlarmDescription)?.[1] ?? '')
})

describe('the runbook', () => {
  it('has a section for each alarm, and an alarm for each section', () => {
    expect(sections.map(titleOf).map(anchorOf).toSorted()).toEqual([...new Set(links)].toSorted())
  })

  it.each(sections.map((section) => [titleOf(section), section]))(
    '%s: what it means, investigate, fix, verify',
    (_title, section) => {
      expect([...section.matchAll(/^\*\*(.*?)\.\*\* \S/gm)].map(([, part]) => part)).toEqual([
        'What it means',
        'Investigate',
        'Fix',
        'Verify',
      ])
      // A query or a command that is ready to be used, on lines of its own: within one it would be shown as text.
      expect(section).toMatch(/^\*\*Investigate\.\*\*.*?^```(?:logs-insights|sh)\n.*^\*\*Fix/ms)
      expect(section).not.toMatch(/.```/)
    },
  )

  it('shows the saved queries as they are saved, and all of them', () => {
    const shown = [...runbook.matchAll(/Saved query «(.+?)»:\n\n```logs-insights\n(.*?)\n```/gs)]
    const saved = shown.map(([, name]) => savedQueries[name as keyof typeof savedQueries]?.text)
    expect(shown.map(([, , text]) => text)).toEqual(saved)
    expect(runbook.match(/```logs-insights/g)).toHaveLength(shown.length)
    // The dashboard shows this one.
    const names = new Set([...shown.map(([, name]) => name), 'Last run of each entity'])
    expect(names).toEqual(new Set(Object.keys(savedQueries)))
  })

  it('links to sections that exist', () => {
    const all = [...sections, ...afterwards.split(/^## /m).slice(1)].map(titleOf).map(anchorOf)
    const wanted = [...runbook.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, anchor]) => anchor)
    expect(wanted.length).toBeGreaterThan(10)
    expect(wanted.filter((anchor) => !all.includes(anchor ?? ''))).toEqual([])
  })
})

test('docs/operate.md tells every metric as the table has it', () => {
  const operate = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8')
  const rows = Object.entries(metricTable).map(([name, { dimensions, meaning }]) => {
    const by = dimensions.map((set) => set.map((dimension) => `\`${dimension}\``).join(', ') || 'all')
    return `| \`${name}\` | ${by.join('; ')} | ${meaning} |`
  })
  expect(operate.split('\n').filter((line) => rows.includes(line))).toEqual(rows)
})
