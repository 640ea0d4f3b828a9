/** Key of an item in the state table. */
export interface Key {
  readonly pk: string
  readonly sk: string
}

/** The format of the items that this release writes and reads. */
export const itemVersion = 1

/** Another release of Longshore wrote an item in a format that this one cannot read. */
export class UnknownItemVersion extends Error {
  override readonly name = 'UnknownItemVersion'

  constructor({ pk, sk }: Key, version: unknown) {
    super(
      `Cannot read the item ${pk} / ${sk} in the state table: its version is ${String(version)} and this release of ` +
        `Longshore reads version ${itemVersion}. Deploy the release that wrote it, or a newer one.`,
    )
  }
}
