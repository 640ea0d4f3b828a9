import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { initCommand } from '../../../cli/commands/init.ts'
import { completeAnswers } from '../../../cli/init/answers.ts'
import { configurationText } from '../../../cli/init/configuration-file.ts'
import type { OptionValues } from '../../../cli/shell/command.ts'
import type { Question, Terminal } from '../../../cli/shell/terminal.ts'
import { ConfigurationError, loadConfig, resolveConfig } from '../../../lib/config.ts'
import { CommandError, UsageError } from '../../../operator/errors.ts'
import { noPause } from '../../pauses.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const folder = temporaryFolder()

const nothingGiven = {
  baseUrl: undefined,
  headerPrefix: undefined,
  account: undefined,
  entities: undefined,
  schedule: undefined,
}

/** A person who gives these answers. An invalid answer is not accepted. */
function personWith(answers: readonly string[], agrees = true): Terminal & { readonly asked: string[] } {
  const left = [...answers]
  const asked: string[] = []
  const ask = async (question: Question): Promise<string> => {
    asked.push(question.message)
    const answer = left.shift() ?? question.initial ?? ''
    const error = question.findError(answer)
    if (error === undefined) return answer
    if (asked.push(error) > 20) throw new Error('asked too often')
    return ask(question)
  }
  const confirm = async () => agrees
  return { isInteractive: true, ask, confirm, asked } as unknown as Terminal & { asked: string[] }
}
const script = { isInteractive: false } as Terminal

describe('the questions of init', () => {
  it('ask for the address, the prefix, the entities and a schedule for each', async () => {
    const person = personWith([
      'https://api.shop.com',
      'X-SHOP',
      ' my-shop ',
      'CL, AD',
      'rate(1 hour)',
      'cron(0 6 * * ? *)',
      'Europe/Lisbon',
    ])
    expect(await completeAnswers(nothingGiven, person)).toEqual({
      upstream: { baseUrl: 'https://api.shop.com', headerPrefix: 'X-SHOP', account: 'my-shop' },
      entities: [
        { name: 'CL', schedule: 'rate(1 hour)' },
        { name: 'AD', schedule: 'cron(0 6 * * ? *)', timezone: 'Europe/Lisbon' },
      ],
    })
    expect(person.asked).toEqual([
      'Address of the platform',
      'Prefix of its headers, as in X-SVC-API-AppKey',
      'Account name that callers may send as `an` (empty for none)',
      'Data entities to sync, separated by commas (empty for none)',
      'Schedule of CL: rate(…) or cron(minutes hours day-of-month month day-of-week year)',
      'Schedule of AD: rate(…) or cron(minutes hours day-of-month month day-of-week year)',
      'Time zone of this schedule',
    ])
  })

  it('leave out the time zone UTC, which is the default', async () => {
    const person = personWith(['https://api.shop.com', 'X-SHOP', '', ' CL, ', 'cron(0 6 * * ? *)'])
    const { entities } = await completeAnswers(nothingGiven, person)
    expect(entities).toEqual([{ name: 'CL', schedule: 'cron(0 6 * * ? *)' }])
    const noEntity = await completeAnswers(
      nothingGiven,
      personWith(['https://api.shop.com', 'X-SHOP', '', '']),
    )
    expect(noEntity).toEqual({
      upstream: { baseUrl: 'https://api.shop.com', headerPrefix: 'X-SHOP' },
      entities: [],
    })
  })

  it.each([
    [0, 'shop', "'shop' is not an https URL"],
    [1, 'two words', "'two words' is not the prefix of a header name"],
    [2, 'my shop', "'my shop' is not the account"],
    [3, 'CL,CL', "'CL' is also the name of entities[0]; configure each entity once"],
    [3, 'C/L', "'C/L' is not the name of an entity"],
    [4, 'every day', "'every day' is neither rate(…) nor cron(…)"],
    [5, 'Lisbon', "'Lisbon' is not a time zone"],
  ])('are repeated with the error of the schema (question %i: %s)', async (index, wrong, error) => {
    const right = ['https://api.shop.com', 'X-SVC', '', 'CL', 'cron(0 6 * * ? *)', 'UTC']
    const person = personWith([...right.slice(0, index), wrong, ...right.slice(index)])
    expect(await completeAnswers(nothingGiven, person)).toMatchObject({ entities: [{ name: 'CL' }] })
    expect(person.asked.filter((text) => text.startsWith(error))).toHaveLength(1)
  })

  it('leave out what was given on the command line', async () => {
    const person = personWith([])
    const given = {
      ...nothingGiven,
      baseUrl: 'https://api.shop.com',
      entities: 'CL',
      schedule: 'rate(1 day)',
    }
    expect(await completeAnswers(given, person)).toMatchObject({
      entities: [{ name: 'CL', schedule: 'rate(1 day)' }],
    })
    expect(person.asked).toHaveLength(2)
  })

  it('are not asked without a terminal, which needs the flags', async () => {
    const baseUrl = 'https://api.shop.com'
    for (const given of [{}, { baseUrl }, { entities: 'CL' }]) {
      await expect(completeAnswers({ ...nothingGiven, ...given }, script)).rejects.toThrow(
        new UsageError('Without a terminal, init needs --base-url and --entities.'),
      )
    }
    expect(
      await completeAnswers(
        { ...nothingGiven, baseUrl: 'https://api.shop.com', account: 'my-shop', entities: 'CL,AD' },
        script,
      ),
    ).toEqual({
      upstream: { baseUrl: 'https://api.shop.com', headerPrefix: 'X-SVC', account: 'my-shop' },
      entities: [
        { name: 'CL', schedule: 'rate(6 hours)' },
        { name: 'AD', schedule: 'rate(6 hours)' },
      ],
    })
  })
})

describe('the file of init', () => {
  const configuration = {
    name: 'Shop',
    upstream: { baseUrl: 'https://api.shop.com', headerPrefix: "X-'SVC", account: 'my-shop' },
    entities: [{ name: 'CL', schedule: 'cron(0 6 * * ? *)', timezone: 'Europe/Lisbon' }],
  }

  it.each(['shop.config.ts', 'shop.config.json'])('%s is read as the same configuration', async (name) => {
    const file = join(folder, name)
    writeFileSync(file, configurationText(file, configuration))
    expect(await loadConfig(file)).toEqual(resolveConfig(configuration))
  })

  it('has a line for each entity, and the name only if there is one', () => {
    const { name, ...unnamed } = configuration
    const lines = (text: string) => text.split('\n').slice(2)
    const head = [
      '// docs/configuration.md lists every key with its default; `npx cdk synth` reports every error.',
      'export default defineConfig({',
    ]
    const upstream = [
      '  upstream: {',
      "    baseUrl: 'https://api.shop.com',",
      "    headerPrefix: 'X-\\'SVC',",
      "    account: 'my-shop',",
      '  },',
    ]
    expect(lines(configurationText('a.ts', configuration))).toEqual([
      ...head,
      `  name: '${name}',`,
      ...upstream,
      '  entities: [',
      "    { name: 'CL', schedule: 'cron(0 6 * * ? *)', timezone: 'Europe/Lisbon' },",
      '  ],',
      '})',
      '',
    ])
    expect(lines(configurationText('a.ts', { ...unnamed, entities: [] }))).toEqual([
      ...head,
      ...upstream,
      '  entities: [],',
      '})',
      '',
    ])
  })

  it('imports defineConfig with a relative path', () => {
    const here = new URL('../../../', import.meta.url).pathname
    const text = (file: string) => configurationText(join(here, file), { ...configuration, entities: [] })
    expect(text('longshore.config.ts')).toContain("from './lib/config.ts'")
    expect(text('shops/one.config.ts')).toContain("from '../lib/config.ts'")
  })
})

describe('init', () => {
  const run = (file: string, values: OptionValues, terminal = script) =>
    initCommand.run({
      entity: '',
      id: '',
      args: [],
      values: { baseUrl: 'https://api.shop.com', entities: 'CL', force: false, ...values },
      json: false,
      target: { kind: 'stacks', config: file, name: 'Shop' },
      terminal,
      pause: noPause,
      signal: new AbortController().signal,
    })

  it('writes a configuration and shows the next commands for it', async () => {
    const file = join(folder, 'new.config.ts')
    const { text } = await run(file, {})
    expect(await loadConfig(file)).toMatchObject({ name: 'Shop', entities: [{ name: 'CL' }] })
    expect(text.split('\n')).toEqual([
      `Wrote ${relative('', file)}. Next:`,
      `  npm start -- --config ${file}`,
      `  npx cdk bootstrap -c config=${file}`,
      `  npm run deploy -- -c config=${file}`,
      `  npx --no-install longshore credentials set --config ${file}`,
      `  npx --no-install longshore doctor --config ${file}`,
    ])
  })

  it('replaces a file only with --force, or if the person agrees', async () => {
    const file = join(folder, 'existing.config.ts')
    writeFileSync(file, 'before')
    await expect(run(file, {})).rejects.toThrow(CommandError)
    await expect(run(file, {}, personWith([], false))).rejects.toThrow('was not changed')
    expect(readFileSync(file, 'utf8')).toBe('before')
    await run(file, {}, personWith([], true))
    expect(readFileSync(file, 'utf8')).toContain('api.shop.com')
    await run(file, { force: true, entities: 'AD' })
    expect(readFileSync(file, 'utf8')).toContain('AD')
  })

  it('writes nothing if a flag is invalid', async () => {
    const file = join(folder, 'wrong.config.ts')
    await expect(run(file, { schedule: 'daily' })).rejects.toThrow(ConfigurationError)
    expect(existsSync(file)).toBe(false)
  })
})
