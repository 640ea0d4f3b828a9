/** `79%` of the documents with a value are missing. */
export const missingShare = ({ before, missing }: Readonly<Record<'before' | 'missing', number>>) =>
  `${Math.round((missing * 100) / before)}%`

/** The beginning of a document that is longer than this many characters. */
export const shortened = (text: string, maxCharacters: number) =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text
