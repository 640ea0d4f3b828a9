import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { parquetReadObjects } from 'hyparquet'
import { awsClients } from '../../operator/aws/clients.aws.ts'
import { readAvroFile } from '../../stored/iceberg/avro-file.ts'

/** The keys of an entity's objects that contain one of these texts: in their bytes, what is compressed, or values of tables. */
export async function objectsWith(
  { bucket, entity }: { readonly bucket: string; readonly entity: string },
  texts: readonly string[],
): Promise<string[]> {
  const s3 = awsClients.bucket()
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }))
  const keys: string[] = []
  for (const { Key = '' } of Contents.filter((object) => object.Key?.includes(`/${entity}`))) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))
    const body = Buffer.from((await Body?.transformToByteArray()) ?? [])
    const content = `${body.toString('latin1')} ${await unpacked(Key, body)}`
    if (texts.some((text) => content.includes(text))) keys.push(Key)
  }
  s3.destroy()
  return keys
}

async function unpacked(key: string, body: Buffer): Promise<string> {
  if (key.endsWith('.gz')) return gunzipSync(body).toString()
  if (key.endsWith('.avro')) return textOf(readAvroFile(body))
  if (!key.endsWith('.parquet')) return ''
  const file = Uint8Array.from(body).buffer
  return textOf(
    await parquetReadObjects({ file, compressors: { ZSTD: (input) => zstdDecompressSync(input) } }),
  )
}

/** With the bounds of columns, which are bytes. */
const textOf = (rows: readonly object[]) =>
  JSON.stringify(rows, (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    return isBuffer(value) ? Buffer.from(value.data).toString('latin1') : value
  })

const isBuffer = (value: unknown): value is { readonly data: number[] } =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer'
