import { GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3'
import { absentIf } from '../../functions/runtime/absent-if.ts'
import { awsClients } from './clients.aws.ts'

/** Reads an object of the bucket; undefined if it does not exist. */
export type ReadObject = (key: string) => Promise<Buffer | undefined>

export function objectReader(bucket: string, signal: AbortSignal): ReadObject {
  const client = awsClients.bucket()
  return async (key) => {
    const command = new GetObjectCommand({ Bucket: bucket, Key: key })
    const got = await client.send(command, { abortSignal: signal }).catch(absentIf(NoSuchKey))
    return got && Buffer.from((await got.Body?.transformToByteArray()) ?? [])
  }
}
