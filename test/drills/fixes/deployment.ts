import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import type { Problem } from '../../../functions/problems/problem.ts'
import { type ProblemKind, problemRows } from '../../../functions/problems/problem-table.ts'
import { deleteForGood } from '../local/delete-for-good.ts'
import { expectHealthy, type LocalWorld, startLocalWorld, waiting } from '../local/world.ts'

/** The command lines that a fix names, in their order. */
export const commandsIn = (fix: string) =>
  [...fix.matchAll(/npx --no-install longshore ([a-z][^()\n`]*?)(?=\)|$|, then| or replace|\n|`)/g)].map(
    ([, args = '']) => args.trim(),
  )

/** A deployment on this machine for the tests of one file, and what its operator does to follow fixes. */
export function useDeployment() {
  let world: LocalWorld
  beforeAll(async () => {
    world = await startLocalWorld()
  })
  afterAll(() => world?.close())

  const longshore: LocalWorld['longshore'] = (args, input) => world.longshore(args, input)
  const healthy = () => expectHealthy(world)

  /** Runs a command that resolves something. After `deletePage`, a repair names what resolves it instead. */
  async function follow(command: string): Promise<string[]> {
    const { code, stdout, stderr } = await longshore(command)
    if (!command.endsWith(' --repair')) {
      expect({ command, code, stderr }).toMatchObject({ code: 0 })
      return []
    }
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining('; no older version is intact') as string,
    })
    const [next = ''] = commandsIn(stdout)
    return [next, ...(await follow(next))]
  }

  /** Follows the command of each of these problems, from the first to the last: of all of them by default. */
  async function followDoctor(list?: readonly Problem[]): Promise<string[]> {
    const followed: string[] = []
    for (const { command = '' } of list ?? (await problems())) {
      if (followed.includes(command)) continue
      followed.push(command)
      followed.push(...(await follow(command)))
    }
    return followed
  }

  /** Follows the command of the most urgent problem. */
  async function followStatus(): Promise<string> {
    const [first] = await agreed()
    const command = first?.command ?? ''
    expect(await longshore(command)).toMatchObject({ code: 0 })
    return command
  }

  /** What status, doctor and the API show, which is the same: each looks itself. */
  async function agreed(): Promise<Problem[]> {
    const shown = async (args: string) => JSON.parse((await longshore(args)).stdout).problems as Problem[]
    const status = await shown('status --json')
    const { exitCode, doctor } = await longshore('doctor --json').then(({ code, stdout }) => ({
      exitCode: code,
      doctor: JSON.parse(stdout).problems as Problem[],
    }))
    await world.bundle.look()
    const api = (await (await world.call('/syncs')).json()) as { problems: Problem[] }
    const common = doctor.filter(
      ({ kind, entity }) => entity !== undefined && problemRows[kind as ProblemKind].find,
    )
    const comparable = (list: readonly Problem[]) =>
      list
        .filter(({ kind }) => kind !== 'orphaned-data')
        .map(({ kind, level, entity, action, command }) => ({ kind, level, entity, action, command }))
    const ofEntities = status.filter(
      ({ entity, kind }) => entity !== undefined && problemRows[kind as ProblemKind].find,
    )
    expect(comparable(common)).toEqual(comparable(ofEntities))
    expect(comparable(api.problems)).toEqual(comparable(status))
    const hasProblem = (list: readonly Problem[]) => list.some(({ level }) => level === 'problem')
    expect((await longshore('status --check')).code).toBe(hasProblem(status) ? 1 : 0)
    expect(exitCode).toBe(hasProblem(doctor) ? 1 : exitCode)
    return doctor
  }

  const problems = async () => (await agreed()).filter(({ level }) => level === 'problem')

  /** The notes about increments. */
  const incrementNotes = async () =>
    (await agreed()).filter(({ kind, level }) => level === 'note' && kind.startsWith('increments'))

  /** Changes one document of CL on the platform. */
  function edit(index: number, dates: object): void {
    const before = JSON.parse(String(documents()[index])) as object
    const after = Buffer.from(JSON.stringify({ ...before, ...dates, edit: randomUUID() }))
    world.platform.documents.set('CL', documents().with(index, after))
  }

  /** Deletes a page of a snapshot of CL, with all of its versions. */
  const deletePage = (runId: string) =>
    deleteForGood(world.bundle.instance.bucket, `snapshots/CL/${runId}/a1`)

  /** Waits until this many comparisons from the tip of CL have failed. */
  async function failedComparisons(count: number): Promise<void> {
    const failures = async () => JSON.parse((await longshore('changes CL --json')).stdout).stopped?.failures
    await vi.waitFor(async () => expect(await failures()).toBe(count), waiting)
  }

  const documents = () => world.platform.documents.get('CL') as Buffer[]

  /** Publishes CL, and waits for its change set. */
  async function syncAndCompare(): Promise<void> {
    expect(await longshore('sync CL --watch')).toMatchObject({ code: 0 })
    await world.compared('CL')
  }

  return {
    get world() {
      return world
    },
    documents,
    longshore,
    healthy,
    problems,
    follow,
    followDoctor,
    followStatus,
    incrementNotes,
    agreed,
    edit,
    deletePage,
    failedComparisons,
    syncAndCompare,
  }
}
