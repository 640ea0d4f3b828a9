import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

/** A link that anyone may read the object by, for 15 minutes. It is signed here; nothing is sent. */
export type SignLink = (key: string) => Promise<string>

const validSeconds = 15 * 60

export function signLinks(bucket: string, client = new S3Client({})): SignLink {
  return (key) =>
    getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: key }), { expiresIn: validSeconds })
}
