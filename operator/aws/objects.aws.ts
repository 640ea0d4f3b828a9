import { GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3'
import { awsClients } from './clients.aws.ts'

/** Reads an object of the bucket; undefined if it does not exist. */
export type ReadObject = (key: string) => Promise<Buffer | undefined>

export function objectReader(bucket: string, signal: AbortSignal): ReadObject {
  const client = awsClients.bucket()
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
