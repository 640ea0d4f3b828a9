interface Width {
  /** Of the terminal; undefined for no limit. */
  readonly columns: number | undefined
  /** Columns that are taken before each line. */
  readonly indent: number
}

/** Lines that fit, broken at spaces. A longer word stays whole. */
export function wrap(text: string, { columns = Number.POSITIVE_INFINITY, indent }: Width): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && indent + last.length + 1 + word.length <= columns) {
      lines[lines.length - 1] = `${last} ${word}`
    } else {
      lines.push(word)
    }
  }
  return lines
}
