import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as dynamodb from '@aws-sdk/client-dynamodb'
import * as s3api from '@aws-sdk/client-s3'
import * as scheduler from '@aws-sdk/client-scheduler'
import * as secretsmanager from '@aws-sdk/client-secrets-manager'
import { expect, it } from 'vitest'

const project = fileURLToPath(new URL('../..', import.meta.url))
const pages = globSync(['*.md', 'docs/*.md'], { cwd: project })

/** The services whose client is installed, as the AWS command line names them. */
const services: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  dynamodb,
  s3api,
  scheduler,
  secretsmanager,
}
/** Flags of every command. */
const common = ['query', 'output', 'region', 'profile', 'endpoint-url', 'no-cli-pager']

const pascal = (words: string) =>
  words.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
const kebab = (member: string) =>
  member
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()

/** The flags of an operation from the service's model; undefined if the service does not have it. */
function flagsOf(service: Readonly<Record<string, unknown>>, operation: string): string[] | undefined {
  // A model of an operation has its input at this place, and a structure the names of its members.
  const model = service[`${pascal(operation)}$`] as readonly unknown[] | undefined
  if (!model) return undefined
  const input = model[4]
  const { 4: members } = (typeof input === 'function' ? input() : input) as { readonly 4: readonly string[] }
  return members.map(kebab)
}

/** What the AWS command line would refuse of a command. */
function errorsIn(command: string): string[] {
  const [, name = '', operation = '', ...words] = command.split(/\s+/)
  const service = services[name]
  if (!service) return []
  const isWait = operation === 'wait'
  const waiter = `waitUntil${pascal(words[0] ?? '')}`
  if (isWait) return waiter in service ? [] : [`${command}: no ${waiter}`]
  const known = flagsOf(service, operation)
  if (!known) return [`${command}: no ${operation}`]
  const allowed = new Set([...known, ...known.map((flag) => `no-${flag}`), ...common])
  return words.flatMap((word) =>
    word.startsWith('--') && !allowed.has(word.slice(2)) ? [`${command}: no ${word}`] : [],
  )
}

const commandsIn = (page: string) =>
  [
    ...readFileSync(join(project, page), 'utf8')
      .replaceAll(/\\\n\s*/g, '')
      .matchAll(/aws [a-z0-9]+ [a-z-]+[^`\n]*/g),
  ].map(([command]) => command)

it('the AWS commands of recovery are recognized', () => {
  expect(commandsIn('docs/recovery.md').flatMap((line) => line.split(' ')[1] ?? [])).toEqual(
    expect.arrayContaining(['dynamodb', 's3api', 's3']),
  )
  expect(errorsIn('aws dynamodb restore-table --table-name a')).toHaveLength(1)
  expect(errorsIn('aws dynamodb delete-table --table a')).toHaveLength(1)
  expect(errorsIn('aws dynamodb wait table-gone --table-name a')).toHaveLength(1)
})

it.each(pages)('%s runs only operations and flags of AWS that exist', (page) => {
  expect(commandsIn(page).flatMap(errorsIn)).toEqual([])
})
