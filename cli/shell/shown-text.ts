import { escapeHidden, hiddenCharacters } from '../../functions/runtime/hidden-characters.ts'

/** The colors of `styleText` that commands use. */
const styles = new RegExp(`${String.fromCharCode(27)}\\[(?:1|2|22|3[1-39])m`, 'g')

/**
 * Text as a terminal may show it: what a document contains can move the cursor, set the title or the clipboard, or make a
 * text look like another one, so that hidden characters are escaped. Our own colors stay.
 */
export function shownText(text: string): string {
  if (text.search(hiddenCharacters) === -1) return text
  const ours = text.match(styles) ?? []
  return text
    .split(styles)
    .map((piece, index) => `${escapeHidden(piece)}${ours[index] ?? ''}`)
    .join('')
}
