export interface Key {
  readonly pk: string
  readonly sk: string
}

/** The form of our items. An item without a number is of the first form, which had none. */
export const itemVersion = 1

/** Another release wrote an item in a form that this one does not know. */
export class UnknownItemVersion extends Error {
  override readonly name = 'UnknownItemVersion'

  constructor({ pk, sk }: Key, version: unknown) {
    super(
      `The item ${pk} / ${sk} in the state table has the version ${String(version)}, and this release of Longshore ` +
        `knows ${itemVersion}: deploy the release that wrote it, or a newer one.`,
    )
  }
}
