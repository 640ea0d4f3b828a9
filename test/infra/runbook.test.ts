import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { metricTable } from '../../functions/runtime/metric-table.ts'
import { savedQueries } from '../../lib/monitoring/saved-queries.ts'
import { synthesize } from './synthesize.ts'

const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8')
const [beforeRule = ''] = runbook.split('\n---\n')
const [, , ...sections] = beforeRule.split(/^## /m)
const titleOf = (section: string) => section.slice(0, section.indexOf('\n'))
/** The anchor that Markdown renderers make of a heading. */
const anchorOf = (title: string) => title.toLowerCase().replaceAll(' ', '-')

let links: string[]
beforeAll(() => {
  links = synthesize()
    .of('AWS::CloudWatch::Alarm')
    .map(({ properties }) => /docs\/runbook\.md#([a-z-]+)/.exec(properties.AlarmDescription)?.[1] ?? '')
})

describe('the runbook', () => {
  it('has a section for each alarm and an alarm for each section', () => {
    expect(sections.map(titleOf).map(anchorOf)).toEqual(links)
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
      // A saved query, or a command that can be copied.
      expect(section).toMatch(/^\*\*Investigate\.\*\*.*?(?:\*\*[A-Z]|^```sh\n|`longshore ).*^\*\*Fix/ms)
      expect(section).not.toMatch(/.```/)
    },
  )

  it('names every saved query, and only those', () => {
    const bold = [...runbook.matchAll(/\*\*([^*]+)\*\*/g)].map(([, text = '']) => text)
    expect(new Set(bold.filter((text) => !text.endsWith('.')))).toEqual(new Set(Object.keys(savedQueries)))
  })

  it('links to sections that exist', () => {
    const anchors = [...runbook.matchAll(/^##+ (.+)$/gm)].map(([, title = '']) => anchorOf(title))
    const targets = [...runbook.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, anchor]) => anchor)
    expect(targets.length).toBeGreaterThan(10)
    expect(targets.filter((anchor) => !anchors.includes(anchor ?? ''))).toEqual([])
  })

  it('has at most 3,000 words', () => {
    expect(runbook.split(/\s+/).filter((word) => /[a-z]/i.test(word)).length).toBeLessThanOrEqual(3_000)
  })
})

test('docs/logs-and-metrics.md lists every metric as the table defines it', () => {
  const page = readFileSync(new URL('../../docs/logs-and-metrics.md', import.meta.url), 'utf8')
  const rows = Object.entries(metricTable).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  expect(page.split('\n').filter((line) => rows.includes(line))).toEqual(rows)
})
