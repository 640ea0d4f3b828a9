import { randomUUID } from 'node:crypto'
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { awsClients } from '../../../operator/aws/clients.aws.ts'
import type { Finding } from '../../../operator/doctor/finding.ts'
import {
  expectHealthy,
  type LocalWorld,
  problemsOf,
  startLocalWorld,
  waiting,
} from '../../drills/local/world.ts'

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
  const problems = () => problemsOf(world)

  /** Follows the fix of each of these findings, from the first to the last: of the problems that doctor finds by default. */
  async function followDoctor(findings?: readonly Finding[]): Promise<string[]> {
    const followed: string[] = []
    for (const { fix = '' } of findings ?? (await problems())) {
      const [command = ''] = commandsIn(fix)
      if (followed.includes(command)) continue
      followed.push(command)
      expect({ fix, ...(await longshore(command)) }).toMatchObject({ code: 0 })
    }
    return followed
  }

  /** Follows the command of the most urgent thing that needs attention. */
  async function followStatus(): Promise<string> {
    const { attention } = JSON.parse((await longshore('status --json')).stdout)
    const [command = ''] = commandsIn(attention[0].command)
    expect(await longshore(command)).toMatchObject({ code: 0 })
    return command
  }

  /** The findings of doctor about increments that have a fix, problems or not. */
  async function incrementFindings(): Promise<Finding[]> {
    const { findings } = JSON.parse((await longshore('doctor --json')).stdout) as { findings: Finding[] }
    return findings.filter(({ text, fix }) => fix !== undefined && text.includes('increment'))
  }

  /** Changes one document of CL on the platform. */
  function edit(index: number, dates: object): void {
    const before = JSON.parse(String(documents()[index])) as object
    const after = Buffer.from(JSON.stringify({ ...before, ...dates, edit: randomUUID() }))
    world.platform.documents.set('CL', documents().with(index, after))
  }

  /** Deletes a page of a snapshot of CL. */
  async function deletePage(runId: string): Promise<void> {
    const [Bucket, Prefix] = [world.bundle.instance.bucket, `snapshots/CL/${runId}/a1`]
    const s3 = awsClients.bucket()
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }))
    await s3.send(new DeleteObjectCommand({ Bucket, Key: Contents[0]?.Key ?? '' }))
  }

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
    followDoctor,
    followStatus,
    incrementFindings,
    edit,
    deletePage,
    failedComparisons,
    syncAndCompare,
  }
}
