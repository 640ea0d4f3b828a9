import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { awsClients } from './clients.aws.ts'

/** The names of the folders directly below a prefix. */
export async function listFolders(
  bucket: string,
  prefix: string,
  client = awsClients.bucket(),
): Promise<string[]> {
  const names: string[] = []
  let from: string | undefined
  do {
    const { CommonPrefixes = [], NextContinuationToken } = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, Delimiter: '/', ContinuationToken: from }),
    )
    names.push(...CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(prefix.length, -1)))
    from = NextContinuationToken
  } while (from)
  return names
}
