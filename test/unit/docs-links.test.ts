import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const project = fileURLToPath(new URL('../..', import.meta.url))
const pages = globSync(
  [
    '*.md',
    'docs/**/*.md',
    'bench/*.md',
    'examples/**/*.md',
    '{functions,stored}/**/*.md',
    '{lib,operator,cli,console,local,test}/README.md',
  ],
  {
    cwd: project,
  },
)

/** The page without its code blocks, in which brackets and `#` are not Markdown. */
const textOf = (page: string) => readFileSync(join(project, page), 'utf8').replaceAll(/^```.*?^```/gms, '')

/** A heading's anchor as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const anchorsOf = (page: string) =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

it.each(pages)('%s links only to files and headings that exist', (page) => {
  const links = [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].map(([, link = '']) => link)
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = path ? join(dirname(page), path) : page
    if (!existsSync(join(project, target))) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
  expect(broken).toEqual([])
})

it.each(['docs', 'docs/adr'])('the index of %s lists every page', (folder) => {
  const index = textOf(`${folder}/README.md`)
  const unlisted = globSync('*.md', { cwd: join(project, folder) }).filter(
    (page) => page !== 'README.md' && !index.includes(`](${page})`),
  )
  expect(unlisted).toEqual([])
})

it('messages and comments name pages and headings that exist', () => {
  const files = globSync('{operator,cli,functions,stored,lib,console,local}/**/*.{ts,tsx}', { cwd: project })
  const named = files.flatMap((file) =>
    [
      ...readFileSync(join(project, file), 'utf8').matchAll(
        /\b(docs\/[\w/-]+\.md|SECURITY\.md)(?:, "([^"]+)")?/g,
      ),
    ].map(([, page = '', heading]) => ({ file, page, heading })),
  )
  expect(named.length).toBeGreaterThan(10)
  const broken = named.filter(
    ({ page, heading }) =>
      !existsSync(join(project, page)) ||
      (heading !== undefined && !anchorsOf(page).includes(anchorOf(heading))),
  )
  expect(broken).toEqual([])
})

it.each(pages.filter((page) => /^\w+\/README\.md$/.test(page) && !/^(?:docs|examples)/.test(page)))(
  '%s has at most 40 lines, and names files',
  (page) => {
    const text = readFileSync(join(project, page), 'utf8')
    expect(text.split('\n').length).toBeLessThanOrEqual(41)
    expect([...text.matchAll(/\]\([^)#]+/g)].length).toBeGreaterThan(2)
  },
)
