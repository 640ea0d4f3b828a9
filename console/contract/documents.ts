/** A value as JSON text, as the platform sent it. */
export interface ValueText {
  /** Only the beginning if it is cut. */
  readonly text: string
  /** Characters of the whole text. */
  readonly length: number
}

export interface DocumentRow {
  /** JSON text; null without an id. */
  readonly id: ValueText | null
  readonly bytes: number
  readonly fields: readonly { readonly name: string; readonly value: ValueText }[]
  /** API path of the same document with whole values. */
  readonly path: string
}
