import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { type ConfigurationInput, resolveConfig } from '../../../lib/config.ts'

/** The examples of a page in TypeScript that configure entities: a list, or one of its items. */
function entitiesOn(page: string): ConfigurationInput['entities'][] {
  const text = readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8')
  const examples = [...text.matchAll(/^ *```ts\n([\s\S]*?)\n *```/gm)].map(([, example = '']) =>
    example.trim(),
  )
  return examples
    .filter((example) => /^(entities: )?[[{]/.test(example))
    .map((example) => {
      const list = example.startsWith('entities: ') ? example.slice('entities: '.length) : `[${example}]`
      // Plain objects of this realm, as a configuration file has.
      return JSON.parse(JSON.stringify(runInNewContext(`(${list.replace(/,$/, '')})`)))
    })
}

it.each([
  ['increments', { increments: { schedule: 'rate(5 minutes)', lookbackMinutes: 60 } }],
  ['tables', { columns: expect.arrayContaining([expect.objectContaining({ name: 'city' })]) as unknown }],
])('the example of docs/%s.md is a valid configuration', (page, expected) => {
  const [entities, ...others] = entitiesOn(page)
  expect(others).toEqual([])
  const upstream = { baseUrl: 'https://shop.example.com' }
  expect(resolveConfig({ upstream, entities: entities ?? [] }).entities).toMatchObject([
    { name: 'CL', ...expected },
  ])
})
