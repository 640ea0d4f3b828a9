import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { defineConfig, resolveConfig } from '../../../lib/config.ts'
import { entityNamed } from '../../entity-named.ts'

const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
const [ofAll = '', ofEntities = ''] = page.split('## Entities')

/** Key and default of each row; a default that is words in the page has none in code. */
function rowsOf(table: string) {
  const rows = [...table.matchAll(/^\| `([\w.]+)` \| (?:`(.*?)`|[^|]*?) \|/gm)]
  return Object.fromEntries(rows.map(([, key, shown]) => [key, shown]))
}

function flat(value: object, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([key, one]): [string, unknown][] =>
    ['upstream', 'throttle', 'changes'].includes(key)
      ? flat(one as object, `${prefix}${key}.`)
      : [[prefix + key, one]],
  )
}

const asShown = (entries: [string, unknown][]) =>
  Object.fromEntries(entries.map(([key, one]) => [key, typeof one === 'string' ? one : JSON.stringify(one)]))

test('docs/configuration.md has every key with its default', () => {
  const resolved = resolveConfig(defineConfig({ upstream: { baseUrl: 'https://shop.example.com' } }))
  expect(rowsOf(ofAll)).toEqual({
    ...asShown(flat(resolved)),
    // Without a default of their own.
    'upstream.baseUrl': undefined,
    credentials: undefined,
    encryptionKeyArn: undefined,
    permissionsBoundary: undefined,
    maxConcurrentCalls: undefined,
    alarmEmail: undefined,
  })
})

test('docs/configuration.md has every key of an entity with its default', () => {
  expect(rowsOf(ofEntities)).toEqual({
    ...asShown(flat(entityNamed('CL'))),
    partitions: undefined,
    name: undefined,
    schedule: undefined,
  })
})
