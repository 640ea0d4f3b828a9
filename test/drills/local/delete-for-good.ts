import { createObjectVersionStore } from '../../../functions/state/object-versions.aws.ts'
import { awsClients } from '../../../operator/aws/clients.aws.ts'

/** Deletes the first object whose key begins in this way, with all of its versions. Returns its key. */
export async function deleteForGood(bucket: string, prefix: string): Promise<string> {
  const store = createObjectVersionStore(bucket, awsClients.bucket())
  const versions = (await Array.fromAsync(store.listVersions(prefix))).flat()
  const [first] = versions
  if (!first) throw new Error(`No key begins with ${prefix}.`)
  await store.deleteVersions(versions.filter(({ key }) => key === first.key))
  return first.key
}
