import type { TableStore } from '../tables/tables.aws.ts'
import { listedManifests } from './manifests.ts'

/** The keys of the files of an Iceberg snapshot: its manifest list, the manifests and their data files. */
export async function filesOfSnapshot(
  { readObject, keyOf }: Pick<TableStore, 'readObject' | 'keyOf'>,
  manifestList: string,
): Promise<readonly string[]> {
  const list = await readObject(manifestList)
  if (!list) throw new Error(`The manifest list ${manifestList} is missing.`)
  const manifests = listedManifests(list).map(({ manifest_path }) => keyOf(manifest_path))
  return [manifestList, ...manifests, ...manifests.map(dataFileOf)]
}

/** A manifest that adds a data file has its run and unique name (`dataFileKey`). One of deleted files has none. */
const dataFileOf = (manifest: string) =>
  manifest.replace(/\/metadata\/(\d{8}T\d{9}Z-[0-9a-f]{12})-(.+)-m\.avro$/, '/data/$1/$2.parquet')
