import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { metricTable } from '../../functions/runtime/metric-table.ts'
import { savedQueries } from '../../lib/monitoring/saved-queries.ts'
import { synthesize } from './synthesize.ts'

const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8')
const [alarmSections = '', otherSections = ''] = runbook.split('\n---\n')
const sections = alarmSections.split(/^## /m).slice(1)
const titleOf = (section: string) => section.slice(0, section.indexOf('\n'))
/** The anchor that Markdown renderers make of a heading. */
const anchorOf = (title: string) => title.toLowerCase().replaceAll(' ', '-')

let links: string[]
beforeAll(() => {
  links = synthesize({
    eraseWithinDays: 30,
    alerts: [{ type: 'slack', url: 'shop/slack' }],
    entities: [
      { name: 'CL', schedule: 'rate(1 day)', increments: { schedule: 'rate(5 minutes)' }, columns: ['id'] },
    ],
  })
    .of('AWS::CloudWatch::Alarm')
    .map(({ properties }) => /docs\/runbook\.md#([a-z-]+)/.exec(properties.AlarmDescription)?.[1] ?? '')
})

describe('the runbook', () => {
  it('has a section for each alarm and an alarm for each section', () => {
    expect(sections.map(titleOf).map(anchorOf).toSorted()).toEqual([...new Set(links)].toSorted())
  })

  it.each(sections.map((section) => [titleOf(section), section]))(
    'has the four parts in the section "%s"',
    (_title, section) => {
      expect([...section.matchAll(/^\*\*(.*?)\.\*\*(?=\s)/gm)].map(([, part]) => part)).toEqual([
        'What it means',
        'Investigate',
        'Fix',
        'Verify',
      ])
      // A saved query, or a command that can be copied, on lines of its own: within a line it would be shown as text.
      expect(section).toMatch(/^\*\*Investigate\.\*\*.*?(?:saved query \*\*|^```sh\n).*^\*\*Fix/ms)
      expect(section).not.toMatch(/.```/)
    },
  )

  it('names every saved query, and only those', () => {
    const bold = [...runbook.matchAll(/\*\*([^*]+)\*\*/g)].map(([, text = '']) => text)
    const named = bold.filter((text) => !text.endsWith('.'))
    // The dashboard shows "Last run of each entity".
    expect(new Set([...named, 'Last run of each entity'])).toEqual(new Set(Object.keys(savedQueries)))
  })

  it('links to sections that exist', () => {
    const anchors = [...sections, ...otherSections.split(/^## /m).slice(1)].map(titleOf).map(anchorOf)
    const targets = [...runbook.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, anchor]) => anchor)
    expect(targets.length).toBeGreaterThan(10)
    expect(targets.filter((anchor) => !anchors.includes(anchor ?? ''))).toEqual([])
  })
})

test('docs/logs-and-metrics.md lists every metric as the table defines it', () => {
  const page = readFileSync(new URL('../../docs/logs-and-metrics.md', import.meta.url), 'utf8')
  const rows = Object.entries(metricTable).map(([name, { dimensions, meaning }]) => {
    const by = dimensions.map((set) => set.map((dimension) => `\`${dimension}\``).join(', ') || 'all')
    return `| \`${name}\` | ${by.join('; ')} | ${meaning} |`
  })
  expect(page.split('\n').filter((line) => rows.includes(line))).toEqual(rows)
})

test('docs/costs.md states the number of alarms', () => {
  const costs = readFileSync(new URL('../../docs/costs.md', import.meta.url), 'utf8')
  // Four more with eraseWithinDays, one with increments, one with columns, and one with alerts.
  expect(costs).toContain(`| ${links.length - 7} alarms at $0.10 |`)
})
