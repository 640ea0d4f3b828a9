import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { changesLatestKey } from '../../../stored/changes/change-keys.ts'
import { newRunId } from '../../../stored/run/run.ts'
import { latestKey, manifestKey } from '../../../stored/snapshots/manifest.ts'
import { failureOf } from '../../worker-requests.ts'
import { IncrementTestbed, incrementRequest } from './increment/increment-testbed.ts'
import { stepRequest, type WorkerTestbed } from './worker-testbed.ts'

const overwrite = ({ s3 }: WorkerTestbed, key: string, text: string) =>
  (s3 as unknown as S3Client).send(new PutObjectCommand({ Bucket: 'snapshots', Key: key, Body: text }))

const fix = 'To fix this, restore its newest intact version (longshore verify CL --repair).'
const notJson = (key: string) => `${key} is not JSON. ${fix}`

it.each([
  { object: 'latest.json', keyOf: () => latestKey('CL'), text: 'rubbish', reasonOf: notJson },
  {
    object: 'latest.json',
    keyOf: () => latestKey('CL'),
    text: '[]',
    reasonOf: (key: string) => `${key} is not a JSON object. ${fix}`,
  },
  {
    object: 'the published manifest',
    keyOf: (runId: string) => manifestKey('CL', runId),
    text: 'rubbish',
    reasonOf: notJson,
  },
  {
    object: 'the published manifest',
    keyOf: (runId: string) => manifestKey('CL', runId),
    text: '{}',
    reasonOf: (key: string) => `${key} has no version. ${fix}`,
  },
  {
    object: 'the manifest of a newer release',
    keyOf: (runId: string) => manifestKey('CL', runId),
    text: '{"version":9}',
    reasonOf: (key: string) => expect.stringContaining(`Cannot read the manifest ${key}`) as string,
    cause: undefined,
  },
])(
  'a run that needs an object that somebody has overwritten ends as failed with the name of $object',
  async ({ keyOf, text, reasonOf, ...row }) => {
    const testbed = new IncrementTestbed()
    testbed.entity = { ...testbed.entity, maxShrinkPercent: 10 }
    await testbed.begin()
    const key = keyOf(testbed.chain().tip)
    await overwrite(testbed, key, text)
    testbed.now += 60_000
    const request = stepRequest(newRunId(testbed.now))
    const response = { status: 'failed', runId: request.driver.runId, reason: reasonOf(key) }
    expect(await testbed.stepToEnd(request)).toMatchObject(response)
    const cause = 'cause' in row ? row.cause : 'unreadable-object'
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({ ...response, ...(cause && { cause }) })
    expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
    expect(testbed.events.at(-1)).toMatchObject({ type: 'Sync Failed', detail: { reason: reasonOf(key) } })
  },
)

describe('an increment that needs an object that somebody has overwritten', () => {
  it.each([
    { text: 'rubbish', reasonOf: notJson },
    { text: '{}', reasonOf: (key: string) => `${key} has no tip. ${fix}` },
  ])('ends as failed with the name of its latest.json, which is $text', async ({ text, reasonOf }) => {
    const testbed = new IncrementTestbed()
    await testbed.begin()
    const key = changesLatestKey('CL')
    await overwrite(testbed, key, text)
    testbed.now += 60_000
    const runId = newRunId(testbed.now)
    const response = { status: 'failed', runId, reason: reasonOf(key) }
    expect(await testbed.step(incrementRequest(runId))).toMatchObject(response)
    const { increments, ...state } = await testbed.state.readEntity('CL')
    expect(increments?.last).toMatchObject({
      status: 'failed',
      reason: reasonOf(key),
      cause: 'unreadable-object',
    })
    expect(state).not.toHaveProperty('lease')
  })

  it('ends also if the state machine had given it up', async () => {
    const testbed = new IncrementTestbed()
    await testbed.begin()
    await overwrite(testbed, changesLatestKey('CL'), 'rubbish')
    const request = failureOf(incrementRequest(newRunId(testbed.now)), 'States.Timeout')
    expect(await testbed.step(request)).toMatchObject({ status: 'failed' })
  })
})
