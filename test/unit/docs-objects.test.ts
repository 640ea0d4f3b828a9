import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const project = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (file: string) => readFileSync(`${project}${file}`, 'utf8')
const namesIn = (text = '') => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
const sections = new Map(
  textOf('docs/objects.md')
    .split(/^## /m)
    .map((text) => [text.slice(0, text.indexOf('\n')), text]),
)
const sectionOf = (heading: string) => sections.get(heading) ?? ''
/** The members that the tables of a section have rows for. */
const rowsOf = (heading: string) => [
  ...new Set([...sectionOf(heading).matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => namesIn(cell))),
]
const source = ['functions', 'stored']
  .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: project }))
  .map(textOf)
  .join('\n')

/** The members of interfaces, without those that they extend. A name in lower case is a member. */
const membersOf = (names: string) =>
  names.split(' ').flatMap((name) => {
    if (/^[a-z]/.test(name)) return name
    const [, body] =
      new RegExp(`^(?:export )?interface ${name}\\b[^]*?\\{\\n([^]*?)^\\}`, 'm').exec(source) ?? []
    if (body === undefined) throw new Error(`The interface ${name} does not exist.`)
    return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member = '']) => member)
  })

const fullSet = 'SetHead SetState ResetManifest ChangeCounts IncrementAudit ContentAge ChangesManifest'

describe('docs/objects.md', () => {
  it.each([
    ['Published snapshot', 'Latest', ''],
    [
      'Manifest of a snapshot',
      'Manifest RunResult',
      'ManifestPage ManifestPartition Boundaries NamedObject Spent',
    ],
    ['Evidence', 'Evidence RangeEvidence', 'CoverageEvidence CoverageReading UnknownOutcome'],
    ['Schema report', 'SchemaReport', 'ReportedField'],
    ['Changed fields', 'StoredChanges ReportChanges added removed retyped', 'before after'],
    ['Tip and sets', 'ChangesLatest', 'FullSetSummary IncrementSummary ComparisonFailures'],
    ['Manifest of a set', `${fullSet} IncrementManifest IncrementResult`, 'WithheldPart KeptByDelivery'],
    ['Refused set', 'RefusedChanges', 'ChangePart'],
    ['Last comparison', 'RecordedFailure', ''],
    ['Typed table', 'TableLatest', 'TableColumn'],
    ['Failed table', 'TableFailure', ''],
  ])('has each member of the object "%s", and no other one', (heading, types, nested) => {
    expect(rowsOf(heading).toSorted()).toEqual([...new Set(membersOf(types))].toSorted())
    expect(namesIn(sectionOf(heading))).toEqual(expect.arrayContaining(nested ? membersOf(nested) : []))
  })

  const { objects } = JSON.parse(textOf('test/upgrades/contract.json')) as {
    readonly objects: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
  /** Each key in the first table, with the heading that its row links to. */
  const keys = [...sectionOf('# Objects in the bucket').matchAll(/^\| (.*?) \| (.*) \|$/gm)].flatMap(
    ([, cell = '', text = '']) =>
      [...cell.matchAll(/`(.*?)`/g)].map(([, key = '']) => ({ key, anchor: /\(#(.*?)\)/.exec(text)?.[1] })),
  )
  const parts = {
    '.': '\\.',
    '*': '.*',
    '<page>': '[ar]<n>-.*',
    '<runId>': '<run>',
    '<kind>': '\\w+',
    '<hash>': '<sha256>',
  }
  const patternOf = (key: string) =>
    new RegExp(`^${key.replaceAll(/\.|\*|<\w+>/g, (part) => Reflect.get(parts, part) ?? part)}$`)
  const internal = [
    'snapshots/<entity>/<run>/check-manifest.json',
    'changes/<entity>/<run>/proposal-<sha256>.json',
  ]

  it.each(Object.entries(objects).filter(([key]) => !internal.includes(key)))(
    'describes %s as runs store it',
    (key, shape) => {
      const row = keys.find((one) => patternOf(one.key).test(key))
      expect(row).toBeDefined()
      const heading =
        [...sections.keys()].find((one) => one.toLowerCase().replaceAll(' ', '-') === row?.anchor) ?? ''
      const [rows, names] = [rowsOf(heading), namesIn(sectionOf(heading))]
      const paths = Object.keys(shape).map((path) => path.replaceAll(/\[\]|\?/g, '').split('.'))
      expect(rows).toEqual(expect.arrayContaining(paths.map(([top]) => top)))
      // Nested members of internal ones are internal.
      const internals = namesIn(
        sectionOf(heading)
          .match(/^.* \| Internal \|$/gm)
          ?.join(),
      )
      const nested = paths.filter(([top = '', ...more]) => more.length > 0 && !internals.includes(top))
      expect(names).toEqual(expect.arrayContaining(nested.map((path) => path.at(-1))))
    },
  )
})
