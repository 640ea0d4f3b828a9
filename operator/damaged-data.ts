/** An object or a count differs from the manifest. */
export class DamagedData extends Error {
  override readonly name = 'DamagedData'
}
