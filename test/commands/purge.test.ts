import { type AttributeValue, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Terminal } from '../../cli/shell/terminal.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { Interrupted } from '../../operator/errors.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
/** The configuration after AD was removed. */
let withoutAd: string
/** The run of the snapshot of AD. */
let runId: string
/** Lets the tasks of its table end. */
let release: () => void

beforeAll(async () => {
  world = await startCliWorld()
  await world.longshore('credentials set --no-sync', JSON.stringify(localCredentials))
  release = world.holdTables()
  await world.longshore('sync --all --watch')
  runId = (await world.snapshot('AD')).latest.runId
  withoutAd = world.writeConfiguration('without-ad.json', {}, ['CL'])
})
afterAll(() => world.close())

const longshore = (args: string) => world.longshore(args, '', withoutAd)

async function keysWith(text: string): Promise<string[]> {
  const { s3, bucket } = world.stores
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }))
  return Contents.flatMap(({ Key = '' }) => (Key.includes(text) ? [Key] : []))
}

async function itemsIn(partition: string): Promise<number> {
  const { dynamodb, table } = world.stores
  const { Count = 0 } = await dynamodb.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: partition } },
    }),
  )
  return Count
}

async function setOfAd(name: string, value: AttributeValue): Promise<void> {
  const { dynamodb, table } = world.stores
  await dynamodb.send(
    new UpdateItemCommand({
      TableName: table,
      Key: { pk: { S: 'entity#AD' }, sk: { S: 'entity' } },
      UpdateExpression: `SET ${name} = :value`,
      ExpressionAttributeValues: { ':value': value },
    }),
  )
}

/** Whether a worker has the lease of AD until then. */
const leaseUntil = (until: number) =>
  setOfAd('lease', { M: { runId: { S: runId }, worker: { S: 'w' }, until: { N: String(until) } } })

/** As if other runs had taken the lease of AD since. */
const forgetRecentRun = () => setOfAd('recentRuns', { L: [] })

describe('the data of an entity that was removed', () => {
  it('stays while its schedule is deployed, as status says', async () => {
    expect((await longshore('status')).stdout).toContain('- AD is not configured, but is still deployed')
    const { code, stderr } = await longshore('purge AD --yes')
    expect(code).toBe(1)
    expect(stderr).toContain('AD is not configured, but still deployed. Nothing was deleted.')
    expect(stderr).toContain('npm run deploy')
    delete world.templates.LongshoreSync.Resources['schedule-AD']
  })

  it('stays while a run is in progress', async () => {
    await leaseUntil(Date.now() + 60_000)
    const { code, stderr } = await longshore('purge AD --yes')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`The run ${runId} of AD is in progress.`) as string,
    })
    await leaseUntil(Date.now() - 5_000)
  })

  it('stays while its table is being built, although its run has published and others came after it', async () => {
    await forgetRecentRun()
    const { code, stderr } = await longshore('purge AD --yes')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /The execution arn:\S+ of AD is running, and may still write a change set or a table\. Nothing was deleted\./,
      ) as string,
    })
    release()
    await vi.waitFor(async () => expect((await longshore('purge AD')).stderr).toContain('for good'), 60_000)
  })

  it('stays unless a person confirms with the name of the entity', async () => {
    const before = await keysWith('/AD/')
    const scripted = await longshore('purge AD')
    expect(scripted.code).toBe(1)
    expect(scripted.stderr).toMatch(
      /This deletes the data of AD for good: a snapshot of 5 documents, published .* ago; \d+ objects in \d+ versions; \d items of the state table\.\n {2}→ .* purge AD --yes --config /,
    )
    const questions: string[] = []
    /** A person who enters this, or presses Ctrl-C. */
    const person = (answer: string | undefined): Partial<Terminal> => ({
      isInteractive: true,
      ask: async ({ message, findError }) => {
        questions.push(message)
        expect(['y', 'ad', 'CL'].map(findError)).not.toContain(undefined)
        expect(['', 'AD'].map(findError)).toEqual([undefined, undefined])
        if (answer === undefined) throw new Interrupted('Interrupted. Nothing was changed.')
        return answer
      },
    })
    expect(await world.longshoreFor(person(undefined), 'purge AD', withoutAd)).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('Nothing was changed.') as string,
    })
    // Enter alone is No, with the exit code of every question that is declined.
    expect(await world.longshoreFor(person(''), 'purge AD', withoutAd)).toMatchObject({
      code: 1,
      stdout: 'Nothing was deleted.\n',
    })
    const question: unknown = expect.stringMatching(
      /^This deletes the data of AD for good: a snapshot of 5 .*\. Enter AD to delete it$/,
    )
    expect(questions).toEqual([question, question])
    expect(await keysWith('/AD/')).toEqual(before)
    expect(before.length).toBeGreaterThan(2)
  })

  it('is deleted from the bucket and the table, and nothing else is', async () => {
    const [kept, items] = [await keysWith('/CL/'), await itemsIn('entity#CL')]
    expect([await itemsIn('entity#AD'), await itemsIn(`run#${runId}#a1`)]).toEqual([2, 2])
    const { code, stdout } = await longshore('purge AD --yes --json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ entity: 'AD', snapshot: { documents: 5 }, items: 4 })
    expect(await keysWith('AD')).toEqual([])
    expect([await itemsIn('entity#AD'), await itemsIn(`run#${runId}#a1`)]).toEqual([0, 0])
    expect([await keysWith('/CL/'), await itemsIn('entity#CL')]).toEqual([kept, items])
    expect((await longshore('status')).stdout).not.toContain('not configured')
  })
})
