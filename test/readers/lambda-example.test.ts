import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { expect, it, vi } from 'vitest'
import { useBucket } from '../embedded-bucket.ts'
import { publishChain, states } from './followed-chain.ts'

useBucket('shop')

const contents = (documents: readonly string[]) => documents.toSorted()

it('has what readers have after each event, also one that is repeated or late', async () => {
  vi.stubEnv('POSITIONS', 'shop')
  const { follow } = await import('../../examples/lambda/follow.ts')
  const testbeds: Map<string, Buffer>[] = []
  await publishChain(({ s3 }) =>
    testbeds.push(new Map([...s3.objects].map(([key, { body }]) => [key, Buffer.from(body)]))),
  )
  const documents = new Map<string, string>()
  const calls: string[] = []
  async function take(call: string, records: AsyncIterable<string>) {
    calls.push(call)
    for await (const line of records) {
      const { op, id, before, after } = JSON.parse(line)
      const key = JSON.stringify(id ?? (after ?? before).id ?? after ?? before)
      const [, text = ''] = /"after":(.*)\}$/.exec(line) ?? []
      if (op === 'd') documents.delete(key)
      else documents.set(key, text)
    }
  }
  const handler = follow({
    begin: async (records) => {
      documents.clear()
      await take('begin', records)
    },
    apply: (records) => take('apply', records),
  })
  const event = { detail: { bucket: 'shop', entity: 'CL' } }
  const s3 = new S3Client({ forcePathStyle: true })
  const upload = async (at: number) => {
    for (const [Key, Body] of testbeds[at] ?? [])
      await s3.send(new PutObjectCommand({ Bucket: 'shop', Key, Body }))
  }
  await upload(0)
  await handler(event)
  expect(contents([...documents.values()])).toEqual(contents(states[0] ?? []))
  await upload(1)
  await handler(event)
  expect(contents([...documents.values()])).toEqual(contents(states[1] ?? []))
  await handler(event)
  // The event of the refused set's run never arrives; the next one brings the last set.
  await upload(3)
  await handler(event)
  expect(contents([...documents.values()])).toEqual(contents(states[2] ?? []))
  expect(calls).toEqual(['begin', 'apply', 'apply'])
})
