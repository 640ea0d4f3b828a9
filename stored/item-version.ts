import { UnknownVersion } from './unknown-version.ts'

/** Key of an item in the state table. */
export interface Key {
  readonly pk: string
  readonly sk: string
}

/** The format of the items that this release writes and reads. */
export const itemVersion = 2

/** An item in a format that this release cannot read. */
export class UnknownItemVersion extends UnknownVersion {
  override readonly name = 'UnknownItemVersion'

  constructor({ pk, sk }: Key, version: unknown) {
    super(`the item ${pk} / ${sk} in the state table`, {
      found: version,
      known: itemVersion,
      fixOfOlder:
        'deploy the release that wrote it again, or start with empty state (docs/deploy.md, "State from before 1.0.0")',
    })
  }
}
