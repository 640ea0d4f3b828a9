import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

/** Who runs the commands. */
const operator = 'user/operator'

let world: CliWorld
let refused: string
let published: string

/** A snapshot of 95 documents is published; then the platform has 20, and the next run is refused. */
beforeAll(async () => {
  world = await startCliWorld()
  await world.longshore('sync CL --watch')
  published = (await world.snapshot('CL')).latest.runId
  const documents = world.platform.documents.get('CL') as Buffer[]
  world.platform.documents.set('CL', documents.slice(0, 20))
  const ended = await world.longshore('sync CL --watch --json')
  refused = JSON.parse(ended.stdout).runId
})
afterAll(() => world.close())

const statusOf = async (runId: string) => {
  const { stdout } = await world.longshore('runs CL --json')
  return JSON.parse(stdout).runs.find((run: { runId: string }) => run.runId === runId)
}

describe('review', () => {
  it('shows why a run was refused, what is missing, and the command that publishes it', async () => {
    const { code, stdout } = await world.longshore(`review ${refused}`)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      new RegExp(`^The snapshot of run ${refused} of CL was refused: 20 documents are 78\\.9% fewer`),
    )
    expect(stdout).toMatch(/\nBEFORE +AFTER +MISSING +NEW\n95 +20 +75 +0\n/)
    expect(stdout).toMatch(/\nMONTH OF createdIn +MISSING +OF +SHARE\n2020-01 +75 +95 +79% +█{8}\n/)
    expect(stdout).toContain('Some of the 75 documents that are missing:\n  {"id":"cl-')
    expect(stdout).toMatch(
      new RegExp(`To publish exactly this: npx --no-install longshore accept ${refused}`),
    )
  })

  it('reviews the last run of an entity, as JSON for scripts', async () => {
    const { stdout } = await world.longshore('review CL --json')
    expect(JSON.parse(stdout)).toMatchObject({
      guard: 'snapshot',
      entity: 'CL',
      runId: refused,
      before: 95,
      after: 20,
      missing: 75,
      created: 0,
      months: [{ value: '2020-01', before: 95, missing: 75 }],
      sample: { length: 5 },
    })
  })
})

const withoutMark = (line: string) => line.replace(/^ *(?:[✗✓→-] )?/, '')
/** An id, an object or a command, which stay whole so that they can be copied. */
const isCopied = (line: string) => /^(?:\S+|\(?(?:npx --no-install longshore|npm run) .*)$/.test(line)
/** Without ages, which grow during the test. Documents are broken between their members. */
const wordsOf = (text: string) =>
  text
    .replaceAll(/(?:< )?\d+\s+(?:s|min|h|d)\b/g, 'AGE')
    .split(/\s+|(?<=,)(?=")/)
    .filter((word) => !/^\d+$/.test(word))

it.each([
  'status',
  'doctor',
  'runs CL',
  'runs CL --increments',
  'changes CL',
  'history CL ID',
  'review CL',
  'retention CL',
  'logs CL',
  'verify CL',
])('on a terminal, %s breaks no word and cuts no command at any width', async (args) => {
  const [first] = world.platform.documents.get('CL') as Buffer[]
  const { id } = JSON.parse(String(first))
  const line = args.replace('ID', id)
  const plain = (await world.longshore(line)).stdout
  expect(plain).not.toContain('\x1b')
  const known = new Set(wordsOf(plain))
  for (const columns of [60, 80, 120, 200]) {
    const { stdout } = await world.longshoreFor({ columns }, line)
    const wide = stdout.split('\n').filter((text) => text.length > columns)
    expect(wide.map(withoutMark).filter((text) => !isCopied(text))).toEqual([])
    expect(wordsOf(stdout).filter((word) => !known.has(word) && !word.endsWith('…'))).toEqual([])
  }
})

describe('accept', () => {
  it('publishes exactly what was refused, although the platform has lost more documents since, and names who accepted it', async () => {
    const documents = world.platform.documents.get('CL') as Buffer[]
    world.platform.documents.set('CL', documents.slice(0, 3))
    const { code, stdout } = await world.longshore(`accept ${refused} --yes`)
    const [first, second] = stdout.split('\n')
    expect(first).toBe(`Published the snapshot of run ${refused} of CL, accepted by ${operator}.`)
    expect(second).toContain(
      `Its change set was refused, too. To review it: npx --no-install longshore review ${refused}`,
    )
    expect(code).toBe(0)
    const { latest, lines } = await world.snapshot('CL')
    expect([latest.runId, lines.length]).toEqual([refused, 20])
    expect(await statusOf(refused)).toMatchObject({ status: 'published', by: operator })
  })

  it('reviews and publishes the change set that was refused then', async () => {
    const review = await world.longshore(`review ${refused} --json`)
    expect(JSON.parse(review.stdout)).toMatchObject({ guard: 'changes', before: 95, after: 20, missing: 75 })
    expect(await world.longshore(`accept ${refused} --yes --with-changes`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Accept that without --with-changes.') as string,
    })
    const { code, stdout } = await world.longshore(`accept ${refused} --yes --json`)
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { entity: 'CL', runId: refused, guard: 'changes', by: operator, published: true },
    ])
    const changes = await world.longshore('changes CL --json')
    expect(JSON.parse(changes.stdout)).toMatchObject({ tip: refused, deleted: 75 })
  })

  it('does not accept a run that republish takes back, which starts a new one', async () => {
    expect(await world.longshore(`republish ${published}`)).toMatchObject({ code: 1 })
    const { code, stdout } = await world.longshore(`republish ${published} --yes --json`)
    const run = JSON.parse(stdout)
    expect([code, run]).toEqual([
      0,
      expect.objectContaining({ status: 'published', republishedFrom: published, documents: 95 }),
    ])
    expect((await world.snapshot('CL')).manifest).toMatchObject({
      runId: run.runId,
      republishedFrom: published,
    })
  })

  it('asks whether the change set of a snapshot is published with it', async () => {
    const next = JSON.parse((await world.longshore('sync CL --watch --json')).stdout).runId as string
    const questions: string[] = []
    const confirm = async (question: string) => questions.push(question) > 0
    const { code, stdout } = await world.longshoreFor({ confirm }, `accept ${next}`)
    expect(questions).toEqual([
      expect.stringContaining('Publish this snapshot of CL?'),
      'Also publish its change set, if it deletes only documents that the review shows as missing?',
    ])
    expect([code, stdout.trim().split('\n')]).toEqual([
      0,
      [
        `Published the snapshot of run ${next} of CL, accepted by ${operator}.`,
        'Its change set was published, too.',
      ],
    ])
    const changes = await world.longshore('changes CL --json')
    expect(JSON.parse(changes.stdout)).toMatchObject({ tip: next, deleted: 75 + 92 })
    world.platform.documents.set('CL', makeDocuments(95))
    await world.longshore('sync CL --watch')
    world.platform.documents.set('CL', makeDocuments(20))
    const again = JSON.parse((await world.longshore('sync CL --watch --json')).stdout).runId as string
    expect((await world.longshore(`accept ${again} --yes --with-changes`)).stdout).toContain(
      'Its change set was published, too.',
    )
    // The next test needs a snapshot that a guard refuses.
    world.platform.documents.set('CL', makeDocuments(95))
    await world.longshore('sync CL --watch')
    world.platform.documents.set('CL', makeDocuments(3))
  })
})
