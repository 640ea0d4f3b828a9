/** Glue names another metadata file than the one that was committed. */
class MetadataNotMoved extends Error {
  override readonly name = 'MetadataNotMoved'
}

/** Compares what Glue names, read back after the last update, with what was committed. */
export function checkLocation(found: string | null, committed: string): string {
  if (found !== committed) throw new MetadataNotMoved(`Glue names ${found}; ${committed} is committed.`)
  return found
}
