import { HeadObjectCommand, ListObjectsV2Command, NotFound, type S3Client } from '@aws-sdk/client-s3'
import { absentIf } from '../../functions/runtime/absent-if.ts'
import { awsClients } from './clients.aws.ts'

/** Which KMS keys encrypt the objects of a bucket. Neither call needs to decrypt anything. */
export interface ObjectKeys {
  /** The first 1,000 keys below a prefix. */
  readonly firstKeys: (prefix: string) => Promise<string[]>
  /** The ARN of the KMS key; undefined if there is no such object, or if S3's own key encrypts it. */
  readonly kmsKeyOf: (key: string) => Promise<string | undefined>
}

export function openObjectKeys(bucket: string, client: S3Client = awsClients.bucket()): ObjectKeys {
  return {
    async firstKeys(prefix) {
      const { Contents = [] } = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }),
      )
      return Contents.flatMap(({ Key }) => Key ?? [])
    },
    async kmsKeyOf(key) {
      const command = new HeadObjectCommand({ Bucket: bucket, Key: key })
      return (await client.send(command).catch(absentIf(NotFound)))?.SSEKMSKeyId
    },
  }
}
