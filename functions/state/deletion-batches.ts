/** S3's limit of one DeleteObjects. */
const maxDeletes = 1000

/**
 * The requests that delete objects: those for manifests, and then those for what manifests name. Readers never follow a
 * manifest to objects that are gone, although a deletion may stop in between.
 */
export function deletionBatches<T>(objects: readonly T[], keyOf: (object: T) => string): readonly T[][][] {
  const isManifest = (object: T) => keyOf(object).endsWith('.json')
  return [batchesOf(objects.filter(isManifest)), batchesOf(objects.filter((object) => !isManifest(object)))]
}

const batchesOf = <T>(objects: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(objects.length / maxDeletes) }, (_, batch) =>
    objects.slice(batch * maxDeletes, (batch + 1) * maxDeletes),
  )
