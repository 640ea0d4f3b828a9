import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { longshoreCommandLine } from '../../functions/runtime/command-line.ts'
import { savedQueries } from '../../lib/monitoring/saved-queries.ts'

/** The pages that are tried as drills. The symptoms are at the end of the runbook. */
export type PageName = 'runbook' | 'symptoms' | 'operate' | 'erasure' | 'deploy' | 'recovery' | 'increments'

/** A situation of a page, as its text describes it. */
export interface Situation {
  readonly title: string
  readonly text: string
}

export type QueryName = keyof typeof savedQueries

function pageText(page: PageName): string {
  const file = page === 'symptoms' ? 'runbook' : page
  const text = readFileSync(new URL(`../../docs/${file}.md`, import.meta.url), 'utf8')
  if (file !== 'runbook') return text
  const [alarms = '', symptoms = ''] = text.split('\n## Symptoms without an alarm\n')
  return page === 'symptoms' ? symptoms : alarms
}

const withoutMarks = (title: string) => title.replaceAll('`', '').replace(/\.$/, '').trim()

/** The sections of a page, by their headings. */
function sectionsOf(text: string): Situation[] {
  return text
    .split(/^##+ /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n')
      return { title: section.slice(0, end), text: section.slice(end) }
    })
}

/** The paragraphs that begin with a sentence in bold, and the rows of the table of responses. */
function rowsOf(text: string): Situation[] {
  const paragraphs = [...text.matchAll(/^\*\*(.+?)\*\* (.+)$/gm)]
  const table = [...text.matchAll(/^\| (\d.+?|`.+?`) \| (.+?) \| (.+) \|$/gm)]
  return [
    ...paragraphs.map(([, title = '', rest = '']) => ({ title: withoutMarks(title), text: rest })),
    ...table.map(([, title = '', cause = '', fix = '']) => ({
      title: withoutMarks(title),
      text: `${cause}\n${fix}`,
    })),
  ]
}

/** The rows of the kinds of problems, by their kinds. */
const kindsOf = (text: string): Situation[] =>
  [...text.matchAll(/^\| `([a-z-]+)` \| (.+)$/gm)].map(([, title = '', row = '']) => ({ title, text: row }))

/** Everything on a page that needs a drill, or that a drill can follow. */
export function situationsOf(page: PageName): Situation[] {
  const text = pageText(page)
  if (page === 'symptoms') return rowsOf(text)
  return page === 'runbook' ? [...sectionsOf(text), ...kindsOf(text)] : sectionsOf(text)
}

export function situation(page: PageName, title: string): Situation {
  const found = situationsOf(page).find((each) => each.title === title)
  assert.ok(found, `The page ${page} has no situation '${title}'.`)
  return found
}

/** A part of a section of the runbook. The row of a kind of problem has no parts. */
export type Part = 'Investigate' | 'Fix' | 'Verify'

export function partOf({ title, text }: Situation, part: Part): string {
  const [before, after = ''] = text.split(`**${part}.**`)
  if (before === text && !text.includes('\n')) return text
  const [own = ''] = after.split(/^\*\*\w+\.\*\*/m)
  assert.notEqual(own, '', `${title} has no part '${part}'.`)
  return own
}

/** The placeholders for values on a page, each with the value of the drill. */
export type Values = Readonly<Record<string, string>>

/** The scripts and command lines of a text in their order, with these values. */
export function commandsOf(text: string, values: Values): string[] {
  const found = text.matchAll(
    /^```sh\n([\s\S]+?)\n```|`((?:longshore|npx|npm|aws) [^`]+)`|^ {4,}((?:longshore|npx|npm|aws) (?:\\\n|.)+)/gm,
  )
  return [...found].map(([, script, inline, indented]) => {
    const lines = filled(script ?? inline ?? indented ?? '', values)
    // Each page defines `longshore` as a function of the shell.
    return lines.replaceAll(/^longshore(?= )/gm, longshoreCommandLine)
  })
}

function filled(text: string, values: Values): string {
  return Object.entries(values).reduce((line, [name, value]) => line.replaceAll(name, value), text)
}

/** The saved queries that a text names. */
export function queriesOf(text: string): QueryName[] {
  const bold = [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = '']) => name)
  return bold.filter((name): name is QueryName => name in savedQueries)
}
