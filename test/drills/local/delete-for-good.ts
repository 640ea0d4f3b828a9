import { awsClients } from '../../../operator/aws/clients.aws.ts'
import { createObjectVersionStore } from '../../../stored/object-versions.aws.ts'

/** Deletes the first object whose key begins in this way, with all of its versions, once another is stored. Returns its key. */
export async function deleteForGood(bucket: string, prefix: string, once = prefix): Promise<string> {
  const store = createObjectVersionStore(bucket, awsClients.bucket())
  const list = async (begin: string) => (await Array.fromAsync(store.listVersions(begin))).flat()
  if ((await list(once)).length === 0) throw new Error(`No key begins with ${once}.`)
  const versions = await list(prefix)
  const [first] = versions
  if (!first) throw new Error(`No key begins with ${prefix}.`)
  await store.deleteVersions(versions.filter(({ key }) => key === first.key))
  return first.key
}
