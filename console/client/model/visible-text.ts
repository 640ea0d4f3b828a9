import { hiddenCharacters } from '../../../functions/runtime/hidden-characters.ts'
import type { ValueText } from '../../contract/change-sets.ts'

/** What is shown of a value, and whether it is only the beginning. */
export function cutValue({ text, length }: ValueText, whole: string | undefined) {
  const shown = whole ?? text
  return { shown, isCut: shown.length < length }
}

/** A piece of text: to show as it is, or a character that would not be seen or would change what is around it. */
export interface Piece {
  readonly kind: 'text' | 'control'
  readonly text: string
}

/** Splits text, and names each hidden character by its code point. */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  for (const { index, 0: character } of text.matchAll(hiddenCharacters)) {
    if (index > start) pieces.push({ kind: 'text', text: text.slice(start, index) })
    pieces.push({ kind: 'control', text: codePointName(character) })
    start = index + character.length
  }
  if (start < text.length) pieces.push({ kind: 'text', text: text.slice(start) })
  return pieces
}

/** `U+202E` */
function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
