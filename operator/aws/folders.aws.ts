import { paginateListObjectsV2 } from '@aws-sdk/client-s3'
import { awsClients } from './clients.aws.ts'

/** The names of the folders directly below a prefix. */
export async function listFolders(
  bucket: string,
  prefix: string,
  client = awsClients.bucket(),
): Promise<string[]> {
  const names: string[] = []
  const wanted = { Bucket: bucket, Prefix: prefix, Delimiter: '/' }
  for await (const { CommonPrefixes = [] } of paginateListObjectsV2({ client }, wanted)) {
    names.push(...CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(prefix.length, -1)))
  }
  return names
}
