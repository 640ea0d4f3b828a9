import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { awsClients } from '../../../operator/aws/clients.aws.ts'
import { drill } from '../drill.ts'
import { situation } from '../pages.ts'
import { type LocalDrill, type LocalWorld, succeeds } from './world.ts'

async function readObject({ bundle }: LocalWorld, Key: string): Promise<Buffer> {
  const { Body } = await awsClients
    .bucket()
    .send(new GetObjectCommand({ Bucket: bundle.instance.bucket, Key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

const linesOf = (pages: readonly Buffer[]) =>
  pages.flatMap((page) => gunzipSync(page).toString().trim().split('\n'))

/** Programs that read snapshots. */
export const readingDrills: LocalDrill[] = [
  drill(
    'symptoms',
    'pandas, Excel or another reader shows different digits from the platform',
    async ({ longshore, folder }) => {
      await succeeds(longshore('pull AD -o digits.ndjson'))
      const [line = ''] = readFileSync(`${folder}/digits.ndjson`, 'utf8').split('\n')
      const [, digits = ''] = /"balance":([\d.]+)/.exec(line) ?? []
      expect(String(JSON.parse(line).balance)).not.toBe(digits)
      return async () => {
        expect(
          situation('symptoms', 'pandas, Excel or another reader shows different digits from the platform')
            .text,
        ).toContain('read the field as text')
        const read = JSON.parse(line, (key, value: unknown, context?: { source?: string }) =>
          key === 'balance' ? context?.source : value,
        )
        expect(read.balance).toBe(digits)
      }
    },
  ),
  drill('symptoms', 'A program that reads the folder finds too many documents', async (world) => {
    const { platform, longshore, bundle } = world
    // The pages of an attempt that was given up, and of an older snapshot.
    platform.faults.add({
      match: onScroll({ entity: 'AD' }),
      fault: { kind: 'end', cursor: 'moves' },
      times: 2,
    })
    await longshore('sync AD --watch')
    platform.faults.clear()
    await succeeds(longshore('sync AD --watch'))
    const list = { Bucket: bundle.instance.bucket, Prefix: 'snapshots/AD/' }
    const { Contents = [] } = await awsClients.bucket().send(new ListObjectsV2Command(list))
    const keys = Contents.map(({ Key = '' }) => Key).filter((key) => key.endsWith('.ndjson.gz'))
    const all = linesOf(await Promise.all(keys.map((key) => readObject(world, key))))
    expect(all.length).toBeGreaterThan(20)
    return async () => {
      const { text } = situation('symptoms', 'A program that reads the folder finds too many documents')
      const [, start = ''] = /Start at `([^`]+)`/.exec(text) ?? []
      const latest = JSON.parse(String(await readObject(world, `snapshots/AD/${start}`)))
      const manifest = JSON.parse(String(await readObject(world, latest.manifest)))
      const pages = await Promise.all(
        manifest.pages.map(({ key }: { key: string }) => readObject(world, key)),
      )
      expect(linesOf(pages)).toHaveLength(20)
    }
  }),
]
