import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { commands as table } from '../../cli/commands/index.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { type ActiveStatus, activeStatuses, type EndedStatus } from '../../stored/run/run.ts'
import { commandsOn } from '../documented-commands.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** Commands of the pages that cannot be run here, and where they are run instead. */
const elsewhere: readonly (readonly [pattern: RegExp, where: string])[] = [
  [/^COMMAND|ENTITY/, 'they contain a placeholder'],
  [/^console/, 'test/browser tests it'],
  [/^init/, 'test/unit/cli/init.test.ts answers its questions'],
  [/^doctor/, 'the end-to-end test runs it against a deployment'],
  [/--reset/, 'test/commands/change-sets.test.ts syncs after it'],
  [/--follow/, 'test/commands/logs.test.ts and follow.test.ts end them'],
  [/^status .*--watch/, 'it never ends'],
  [/^("\$@"|\$argv;)/, 'it is part of a function of the shell'],
  [/^(review|accept|republish) /, 'test/commands/review.test.ts has a refused run'],
  [/^--local/, 'test/commands/local.test.ts'],
]

const examples = table.flatMap((row) => Object.keys(row.examples).map((line) => line.replace(/ [<>] .*/, '')))
const pages = globSync(['*.md', 'docs/*.md'], { cwd: project })
const commands = [...new Set([...pages.flatMap(commandsIn), ...examples])].filter(
  (command) => !elsewhere.some(([pattern]) => pattern.test(command)),
)

function commandsIn(page: string): string[] {
  return commandsOn(readFileSync(join(project, page), 'utf8')).map((command) => command.trim())
}

let world: CliWorld
/** Of a configuration with columns and increments. */
let config: string
let runId: string
let documentId: string
beforeAll(async () => {
  world = await startCliWorld()
  config = world.writeConfiguration('tables.json', {
    columns: ['id', 'createdIn'],
    increments: { schedule: 'rate(5 minutes)' },
  })
  await world.longshore('credentials set --no-sync', JSON.stringify(localCredentials))
  await world.longshore('sync CL --watch')
  const { latest, lines } = await world.snapshot('CL')
  runId = latest.runId
  documentId = JSON.parse(lines[17] ?? '').id
  // A second snapshot, so that there is a change set since the first.
  world.platform.documents.set('CL', makeDocuments(96))
  await world.longshore('sync CL --watch')
  await world.longshore('pull CL')
})
afterAll(() => world.close())
beforeEach(() => {
  for (const file of ['changes.ndjson', 'CL.csv']) rmSync(join(world.folder, file), { force: true })
})

/** A run that has just been started is in the list of runs, but it is not yet the entity's running one. */
async function isIdle(): Promise<boolean> {
  const status = await world.longshore('status --json')
  const { entities } = JSON.parse(status.stdout) as { entities: { running: object | null }[] }
  const listed = await world.longshore('runs CL --json')
  const { runs } = JSON.parse(listed.stdout) as { runs: { status: ActiveStatus | EndedStatus }[] }
  const isActive = runs.some((run) => activeStatuses.some((active) => active === run.status))
  return !isActive && entities.every(({ running }) => running === null)
}

/** Increments wait while the published snapshot is compared. */
async function isCompared(): Promise<boolean> {
  const { latest } = await world.snapshot('CL')
  const { stdout } = await world.longshore('changes CL --json')
  return JSON.parse(stdout).tip >= latest.runId
}

/** The exit code that a command has here. */
const expectedCodes: Readonly<Record<string, number>> = {
  // The schedules of increments are configured, and not deployed.
  'status --check': 1,
  // No sync is running.
  'cancel CL': 1,
  // The published snapshot contains the document.
  'erase CL --id client-17': 1,
  'erase CL --id client-17 --yes --json': 1,
  // No document has this value.
  'history CL --where email=ann@example.com': 1,
  // Nothing that old is kept.
  'history CL client-17 --at tuesday': 1,
  'history CL client-17 --at 2026-11-17T14:00+01:00': 1,
}

it.each(commands)('npx --no-install longshore %s does what the documentation shows', async (command) => {
  if (/^pull CL(?! --update)/.test(command)) rmSync(join(world.folder, 'CL.ndjson'), { force: true })
  await vi.waitFor(async () => expect(await isIdle()).toBe(true), 20_000)
  const isReady = command.includes('--increment') ? isCompared : async () => true
  await vi.waitFor(async () => expect(await isReady()).toBe(true), 20_000)
  const args = command.replaceAll(/RUN_ID|\d{8}T\d{9}Z-[0-9a-f]{12}/g, runId).replace('client-17', documentId)
  const { code, stderr } = await world.longshore(args, JSON.stringify(localCredentials), config)
  expect({ code, stderr }).toEqual({
    code: expectedCodes[command] ?? 0,
    stderr: expect.any(String) as string,
  })
})
