import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type ApiRoute, apiRoutes } from '../../functions/http/lambda-functions.ts'
import { problems } from '../../functions/http/result.ts'

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')

/** The first two cells of each row of the table below a heading. */
function rowsBelow(heading: string): [string, string][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [text = ''] = section.split('\n## ')
  return [...text.matchAll(/^\| `(.+?)` \| `?(.+?)`? \|/gm)].map(([, name = '', value = '']) => [name, value])
}

const byName = (a: readonly [string, string], b: readonly [string, string]) => (a[0] < b[0] ? -1 : 1)

it('lists routes that exist, with their scopes', () => {
  const routes: readonly ApiRoute[] = Object.values(apiRoutes([])).flat()
  const expected = routes.map(({ method, path, scope }): [string, string] => [
    `${method} ${path}`,
    scope ?? 'any',
  ])
  const documented = rowsBelow('Routes')
  expect(documented.length).toBeGreaterThan(10)
  expect(expected).toEqual(expect.arrayContaining(documented))
})

it('lists every error type with its status', () => {
  const expected = Object.entries(problems).map(([name, { status }]): [string, string] => [
    name,
    String(status),
  ])
  expect(rowsBelow('Errors').toSorted(byName)).toEqual(expected.toSorted(byName))
})
