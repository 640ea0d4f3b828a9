import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { optionalTools } from '../optional-tools.ts'
import { pythonTools } from '../python-tools.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { publishChain, states } from './followed-chain.ts'

const examples = fileURLToPath(new URL('../../examples/', import.meta.url))
const folder = temporaryFolder()

const postgres = await optionalTools(
  { name: 'postgres', needs: 'the programs of PostgreSQL 15 or newer (Debian: postgresql)' },
  async () => {
    const [found] = [
      ...globSync('/usr/lib/postgresql/*/bin/initdb').toSorted().toReversed(),
      ...(process.env['PATH'] ?? '').split(':').map((path) => join(path, 'initdb')),
    ].filter((path) => existsSync(path))
    if (!found) throw new Error('initdb was not found.')
    return join(found, '..')
  },
)
const python = await pythonTools('loaders', new URL('loader-requirements.txt', import.meta.url))

interface Row {
  readonly key: string
  readonly document: unknown
}

interface Warehouse {
  /** The command line of `--exec`. */
  readonly commandLine: string
  /** The environment, and what it has in addition when all rows are replaced. */
  readonly environment: NodeJS.ProcessEnv
  readonly begin: { readonly flags?: string; readonly environment?: NodeJS.ProcessEnv }
  rows(): Promise<Row[]>
}

/** Runs the command line with this standard input. Resolves to the exit code and what it printed. */
async function execute(commandLine: string, environment: NodeJS.ProcessEnv, input: string) {
  const child = spawn(commandLine, { shell: true, env: { ...process.env, ...environment } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += String(bytes)))
  child.stdin.on('error', () => undefined).end(input)
  const [code] = (await once(child, 'close')) as [number]
  return { code, text }
}

const parsed = (document: string) =>
  JSON.parse(
    document.replaceAll(/(\\\\|\\ud[89ab]..\\ud[c-f]..)|\\ud[89a-f]../gi, (_, kept) => kept ?? '\\ufffd'),
  )
const sorted = (documents: readonly unknown[]) => documents.map((one) => JSON.stringify(one)).toSorted()

/** Documents that a parser makes equal, but sets do not; and what warehouses cannot hold. */
const odd = [
  '{"id":1e2}',
  '{"id":100}',
  '{"id":"100"}',
  '{"id":"\\u00e9","large":[1e400,-1.5,"1e400"],"large":[1e200000,2]}',
  '{"id":"a\\ud83d"}',
  '{"id":"a\\ud83e"}',
  '{"id":"a\\u0000"}',
  `{"id":"${'long'.repeat(2000)}"}`,
  `{"id":"deep","value":${'['.repeat(990)}${']'.repeat(990)}}`,
  '{"id":{"number":1},"value": 1.0}',
  '{"id":{"number":1},"value":1.0}',
  '{"id":null,"tag":"x","tag":"y"}',
  '{"id":null,"tag":"y"}',
]
const oddIds = [
  '1e2',
  '100',
  '"100"',
  '"\\u00e9"',
  '"a\\ud83d"',
  '"a\\ud83e"',
  '"a\\u0000"',
  `"${'long'.repeat(2000)}"`,
  '"deep"',
]

function followsTheChain(warehouse: () => Warehouse): void {
  let records: string[]
  const load = (input: string) => execute(warehouse().commandLine, warehouse().environment, input)
  const begin = (documents: readonly string[]) => {
    const { commandLine, environment, begin } = warehouse()
    const lines = documents.map((document) => `{"op":"r","after":${document}}\n`).join('')
    return execute(`${commandLine}${begin.flags ?? ''}`, { ...environment, ...begin.environment }, lines)
  }
  const expectState = async (at: number) => {
    const rows = await warehouse().rows()
    const canonical = (value: unknown) =>
      Object.fromEntries(Object.entries(value as object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    expect(sorted(rows.map(({ document }) => canonical(document)))).toEqual(
      sorted((states[at] ?? []).map((document) => canonical(parsed(document)))),
    )
  }

  beforeAll(async () => {
    records = (await publishChain()).records
  })

  it('has the state of each set after its records, also withheld documents', async () => {
    expect(await begin(states[0] ?? [])).toMatchObject({ code: 0 })
    await expectState(0)
    for (const at of [1, 2]) {
      expect(await load(records[at] ?? '')).toMatchObject({ code: 0 })
      await expectState(at)
    }
  })

  it('is not changed by a set that is delivered again', async () => {
    await begin(states[1] ?? [])
    for (const at of [1, 2, 2]) expect(await load(records[at] ?? '')).toMatchObject({ code: 0 })
    await expectState(2)
  })

  it('has only the documents of the snapshot after it begins again', async () => {
    await begin(states[2] ?? [])
    expect(await begin(states[1] ?? [])).toMatchObject({ code: 0 })
    await expectState(1)
  })

  it('holds every document of a set under its own key, the same that it has after it begins', async () => {
    const record = (op: string, side: string) =>
      odd.map((document, at) => `{"op":"${op}","id":${oddIds[at] ?? 'null'},"${side}":${document}}\n`)
    const keys = async () => (await warehouse().rows()).map(({ key }) => key).toSorted()
    expect(await begin([])).toMatchObject({ code: 0 })
    expect(await load(record('c', 'after').join(''))).toMatchObject({ code: 0 })
    const loaded = await keys()
    expect(loaded).toHaveLength(odd.length)
    for (const key of ['1e2', '100', '"100"', '"é"', odd[9], odd[11]]) expect(loaded).toContain(key)
    const rows = await warehouse().rows()
    const { document } = rows.find(({ key }) => key === '"é"') as Row & { document: { large: unknown } }
    expect(JSON.stringify(document.large)).toContain('"1e200000"')
    expect(await begin(odd)).toMatchObject({ code: 0 })
    expect(await keys()).toEqual(loaded)
    expect(await load(record('d', 'before').slice(0, -1).join(''))).toMatchObject({ code: 0 })
    expect(await keys()).toEqual([odd.at(-1)])
  })

  it('refuses a set with an unknown op, and applies none of its records', async () => {
    await begin(states[1] ?? [])
    const { code, text } = await load(`${records[2]}{"op":"x","id":"a","after":{"id":"a"}}\n`)
    expect(code).not.toBe(0)
    expect(text).toMatch(/unknown op|known_op/)
    await expectState(1)
  })
}

describe.skipIf(!postgres)('a table in Postgres that examples/postgres/load.sql keeps up to date', () => {
  const database = join(folder, 'postgres')
  const environment = { PGHOST: database, PGUSER: 'postgres', PGDATABASE: 'postgres' }
  const program = (name: string) => join(postgres ?? '', name)
  const commandLine = `psql -qX -v table=clients -f ${examples}postgres/load.sql`
  // Postgres refuses to run as root.
  const nobody: { readonly uid?: number; readonly gid?: number } =
    process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  let stop: () => Promise<void>
  beforeAll(async () => {
    mkdirSync(database)
    chmodSync(folder, 0o755)
    if (nobody.uid && nobody.gid) chownSync(database, nobody.uid, nobody.gid)
    const data = join(database, 'data')
    await promisify(execFile)(program('initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '-N'], nobody)
    const args = ['-D', data, '-k', database, '-c', 'listen_addresses=', '-F']
    const server = spawn(program('postgres'), args, { ...nobody, stdio: 'ignore' })
    stop = async () => {
      server.kill('SIGINT')
      await once(server, 'close')
    }
    await vi.waitFor(() => promisify(execFile)(program('pg_isready'), ['-h', database]), 30_000)
  })
  afterAll(() => stop())

  followsTheChain(() => ({
    commandLine,
    environment,
    begin: { flags: ' -v begin=1' },
    async rows() {
      const query = "SELECT coalesce(json_agg(clients), '[]') FROM clients"
      const { stdout } = await promisify(execFile)('psql', ['-XAtc', query], {
        env: { ...process.env, ...environment },
      })
      return JSON.parse(stdout)
    },
  }))

  it.each([
    ['shop.clients', 'shop', 'clients'],
    ['Clients', 'public', 'Clients'],
    ['"shop"."Other.clients"', 'shop', 'Other.clients'],
  ])('is %s: a table in a schema, whose capitals are kept', async (table, schema, name) => {
    const psql = (query: string) => execute(`psql -qXAtc '${query}'`, environment, '')
    await psql('CREATE SCHEMA IF NOT EXISTS shop')
    const load = commandLine.replace('table=clients', `table='${table}'`)
    expect(await execute(load, environment, '{"op":"c","id":"a","after":{"id":"a"}}\n')).toMatchObject({
      code: 0,
    })
    expect(await psql(`SELECT key FROM "${schema}"."${name}"`)).toEqual({ code: 0, text: '"a"\n' })
  })

  it('keeps every digit, and sees a change of digits', async () => {
    for (const number of ['1.10', '1.1', '123456789012345678901234.5']) {
      await execute(commandLine, environment, `{"op":"u","id":"n","after":{"id":"n","number":${number}}}\n`)
      const query = "SELECT document ->> 'number' FROM clients WHERE key = '\"n\"'"
      const { text } = await execute(
        `psql -XAtc ${JSON.stringify(query).replaceAll('$', '')}`,
        environment,
        '',
      )
      expect(text.trim()).toBe(number)
    }
  })
})

describe.skipIf(!python).each([
  { name: 'snowflake', program: 'snow', table: 'clients' },
  { name: 'bigquery', program: 'bq', table: 'shop.clients' },
])('a table that examples/$name/load.sh keeps up to date, on DuckDB', ({ name, program, table }) => {
  const bin = join(folder, name)
  const emulated = `${python}/python ${fileURLToPath(new URL('emulated_warehouse.py', import.meta.url))} ${bin}/db ${program}`
  beforeAll(() => {
    mkdirSync(bin)
    writeFileSync(join(bin, program), `#!/bin/sh\nexec ${emulated} "$@"\n`, { mode: 0o755 })
  })

  followsTheChain(() => ({
    commandLine: `${examples}${name}/load.sh`,
    environment: { PATH: `${bin}:${process.env['PATH']}`, TABLE: table },
    begin: { environment: { BEGIN: 'TRUE' } },
    async rows() {
      const { text } = await execute(`${emulated.replace(` ${program}`, ' bq')} rows ${table}`, {}, '')
      return JSON.parse(text)
    },
  }))
})
