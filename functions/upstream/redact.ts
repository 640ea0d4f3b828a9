/**
 * The text with every secret replaced by `[redacted]`, including where its characters are written as JSON escapes or
 * percent-encoded, in any mixture. Secrets are ASCII, so the text may be bytes read as Latin-1.
 */
export function redact(text: string, secrets: Iterable<string>): string {
  // The longest first: a secret may begin with another one.
  const patterns = [...secrets]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length)
    .map(patternOf)
  return patterns.length === 0 ? text : text.replaceAll(new RegExp(patterns.join('|'), 'g'), '[redacted]')
}

function patternOf(secret: string): string {
  return Array.from(secret, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0').replaceAll(/[a-f]/g, eitherCase)
    const isWord = /\w/.test(character)
    const plain = isWord ? character : `\\${character}`
    // The longer forms first: the last character may be the beginning of its own encoded form.
    return `(?:%${hex}|\\\\u00${hex}|${isWord ? '' : `\\\\${plain}|`}${plain})`
  }).join('')
}

const eitherCase = (letter: string) => `[${letter}${letter.toUpperCase()}]`
