/** White space between documents and inside each. The bytes of a value never change. */
export const renderings = ['compact', 'pretty', 'crlf', 'byte-order-mark'] as const
export type Rendering = (typeof renderings)[number]

/** What is before, between and after the documents of a page. */
const pageParts = {
  compact: ['[', ',', ']'],
  pretty: ['[\n  ', ',\n  ', '\n]\n'],
  crlf: ['[\r\n  ', ',\r\n  ', '\r\n]\r\n'],
  'byte-order-mark': ['\ufeff[\r\n\t', ',\r\n\t', '\r\n]\r\n'],
} as const

export function renderPage(documents: readonly Buffer[], rendering: Rendering): Buffer {
  const [before, between, after] = pageParts[rendering]
  const parts = documents.flatMap((document, index) => [
    Buffer.from(index > 0 ? between : ''),
    renderDocument(document, rendering),
  ])
  return Buffer.concat([Buffer.from(before), ...parts, Buffer.from(after)])
}

/** One document as it appears in a page of this rendering: white space is added outside strings only. */
function renderDocument(document: Buffer, rendering: Rendering): Buffer {
  if (rendering === 'compact') return document
  const lineEnd = rendering === 'pretty' ? '\n' : '\r\n'
  let text = ''
  let depth = 1
  let inString = false
  let escaped = false
  const newLine = () => `${lineEnd}${'  '.repeat(depth)}`
  // Latin-1 maps each byte to one character and back, so UTF-8 inside strings is not touched.
  for (const character of document.toString('latin1')) {
    if (inString) {
      text += character
      if (escaped) escaped = false
      else if (character === '\\') escaped = true
      else if (character === '"') inString = false
    } else if (character === '"') {
      inString = true
      text += character
    } else if (character === '{' || character === '[') {
      depth += 1
      text += character + newLine()
    } else if (character === '}' || character === ']') {
      depth -= 1
      text += newLine() + character
    } else if (character === ',') text += character + newLine()
    else if (character === ':') text += ': '
    else text += character
  }
  return Buffer.from(text, 'latin1')
}
