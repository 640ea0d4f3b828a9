/**
 * Controls (except line feed and tab), format characters, which include those that change the direction of text or have
 * no width, halves of characters, and line separators: they make a text look like another one, and terminals obey some.
 */
export const hiddenCharacters = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Shows them as JSON and JavaScript write them in a string, such as `\u202e`. A JSON text keeps its meaning. */
export const escapeHidden = (text: string): string => text.replace(hiddenCharacters, escaped)

/** Text of the platform on one line: line feeds and tabs are escaped too. */
export const escapeLine = (text: string): string => escapeHidden(text).replace(/[\n\t]/g, escaped)

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
