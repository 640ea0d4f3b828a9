import { GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3'

/** Reads an object of the bucket; undefined if it does not exist. */
export type ReadObject = (key: string) => Promise<Buffer | undefined>

export function objectReader(bucket: string, signal: AbortSignal, client = new S3Client({})): ReadObject {
  return async (key) => {
    try {
      const command = new GetObjectCommand({ Bucket: bucket, Key: key })
      const { Body } = await client.send(command, { abortSignal: signal })
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  }
}
