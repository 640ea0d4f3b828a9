import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { defineConfig, resolveConfig } from '../../../lib/config.ts'
import { entityNamed } from '../../entity-named.ts'

const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
const [configurationTable = '', entityTable = ''] = page.split('## Entities')

/** Key and default of each row. A default in words is undefined in code. */
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

test('docs/configuration.md lists every key with its default', () => {
  const resolved = resolveConfig(defineConfig({ upstream: { baseUrl: 'https://shop.example.com' } }))
  expect(rowsOf(configurationTable)).toEqual({
    ...asShown(flat(resolved)),
    // Keys without a default in code.
    'upstream.baseUrl': undefined,
    credentials: undefined,
    encryptionKeyArn: undefined,
    permissionsBoundary: undefined,
    maxConcurrentCalls: undefined,
    eraseWithinDays: undefined,
    alarmEmail: undefined,
    network: undefined,
    domain: undefined,
  })
})

test('docs/configuration.md lists every key of an entity with its default', () => {
  expect(rowsOf(entityTable)).toEqual({
    ...asShown(flat(entityNamed('CL'))),
    partitions: undefined,
    name: undefined,
    schedule: undefined,
  })
})
