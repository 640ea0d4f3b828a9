import { stripVTControlCharacters } from 'node:util'

/**
 * Breaks lines that are wider than a terminal at spaces, and aligns the rest below the text of the first line.
 * Commands, which are copied, and words that are longer than a line stay whole. `columns` is undefined for no limit.
 */
export function wrap(text: string, columns: number | undefined): string {
  if (columns === undefined) return text
  return text
    .split('\n')
    .flatMap((line) => fittingLines(line, columns))
    .join('\n')
}

const widthOf = (text: string) => stripVTControlCharacters(text).length

/** What precedes the text of a line: its indentation, and the mark of a finding, a fix or a list item. */
const beginning = /^ *(?:[✗✓→-] )?/

function fittingLines(line: string, columns: number): string[] {
  const plain = stripVTControlCharacters(line)
  if (plain.length <= columns) return [line]
  const [start = ''] = beginning.exec(plain) ?? []
  const words = line.split(' ')
  // The beginning of the line is at most a mark and color codes.
  const head = words.splice(0, start.split(' ').length - 1).join(' ')
  // The rest of a row of cells, such as a log line, is indented.
  const isRow = /\S {2,}\S/.test(plain)
  const indent = ' '.repeat(start.length + (isRow ? 2 : 0))
  const lines: string[] = []
  for (const piece of piecesOf(words)) {
    const last = lines.at(-1)
    const before = lines.length > 1 ? indent.length : start.length
    if (last !== undefined && before + widthOf(`${last} ${piece}`) <= columns) {
      lines[lines.length - 1] = `${last} ${piece}`
    } else if (piece !== '') {
      lines.push(piece)
    }
  }
  const first = start === '' ? '' : `${head} `
  return lines.map((each, index) => `${index === 0 ? first : indent}${each}`.trimEnd())
}

const beginsCommand = (word: string, next = '') =>
  /^[(`]?(npx$|LONGSHORE_LOCAL=)/.test(word) || (/^[(`]?npm$/.test(word) && next === 'run')

/** Words and whole commands. A command ends with its line, or with what follows its last word. */
function piecesOf(words: readonly string[]): string[] {
  const pieces: string[] = []
  let isCommand = false
  for (const [index, word] of words.entries()) {
    const plain = stripVTControlCharacters(word)
    if (isCommand) pieces[pieces.length - 1] += ` ${word}`
    else pieces.push(word)
    isCommand = (isCommand || beginsCommand(plain, words[index + 1])) && !/[)`,;.]$/.test(plain)
  }
  return pieces
}
