/** How a platform may write its answers. */
export const renderings = ['compact', 'pretty', 'crlf'] as const
export type Rendering = (typeof renderings)[number]

/** A document in the bytes that the platform sends, and in those that a snapshot must hold for it. */
export interface ModelDocument {
  readonly index: number
  readonly sent: Readonly<Record<Rendering, Buffer>>
  readonly line: Readonly<Record<Rendering, string>>
}

const count = 640

/** Every seed's entities are made of these; each has an identity of its own. */
export const documentPool: readonly ModelDocument[] = Array.from({ length: count }, (_, index) => {
  const compact = compactText(index)
  const texts = { compact, pretty: spread(compact, '\n'), crlf: spread(compact, '\r\n') }
  return {
    index,
    sent: mapped(texts, (text) => Buffer.from(text)),
    // CONTRACT: each CR and LF outside a string becomes a space; inside a string JSON allows none.
    line: mapped(texts, (text) => Buffer.from(text.replaceAll(/[\r\n]/g, ' ')).toString('latin1')),
  }
})

const indexes: Readonly<Record<Rendering, ReadonlyMap<string, number>>> = mapped(
  { compact: 'compact', pretty: 'pretty', crlf: 'crlf' } as const,
  (rendering) => new Map(documentPool.map(({ line, index }) => [line[rendering], index])),
)

/** Which document a line (as latin1) of a snapshot is, byte for byte; undefined if it is none that was ever sent. */
export function documentOfLine(line: string, rendering: Rendering): number | undefined {
  return indexes[rendering].get(line)
}

function compactText(index: number): string {
  const id = `d${String(index).padStart(5, '0')}`
  switch (index % 16) {
    case 1:
      return `{"id":${index},"big":12345678901234567890.1200,"small":-0.0e-0,"list":[]}`
    case 2:
      return `{"name":"id last \\"quoted\\" \\\\","nested":{"id":"${id}x"},"id":"${id}"}`
    case 3:
      // A twin of the one before, by letter case.
      return `{"id":"D${String(index - 1).padStart(5, '0')}","n":${index}}`
    case 4:
      return `{"no":"id","number":${index},"id":null,"deep":[[[{"id":[1,{"a":{}}]}]]]}`
    case 5:
      return `{"number":${index},"text":"no id, ünïcödé 😀 \\ud83d\\ude00 \\u0000"}`
    case 6:
      return `{"\\u0069d":"${id}","b":1,"a":2,"B":3}`
    case 7:
      return `{"id":"\\u0064-${id}\\/","e":1E+2,"t":true,"f":false,"z":null}`
    case 8:
      return `{"id":"${index}","about":"the number ${index} is another id","tab":"\\t[]{},:"}`
    case 9:
      return `{"a":[{"id":1},{"id":2}],"id":"${id}","empty":{},"":""}`
    case 10:
      return `{"id":${index}.5e1,"long":"${'x'.repeat(index % 97)}"}`
    default:
      return `{"id":"${id}","number":${index}}`
  }
}

/** The same tokens with line breaks between them. */
function spread(compact: string, lineBreak: string): string {
  let text = ''
  let inString = false
  let depth = 0
  for (let at = 0; at < compact.length; at++) {
    const char = compact.charAt(at)
    if (inString) {
      text += char
      if (char === '\\') text += compact.charAt(++at)
      else if (char === '"') inString = false
      continue
    }
    if (char === '"') inString = true
    if (char === '}' || char === ']') text += lineBreak + ' '.repeat(--depth)
    text += char === ':' ? ' :\t' : char
    if (char === '{' || char === '[') depth++
    if (char === '{' || char === '[' || char === ',') text += lineBreak + ' '.repeat(depth)
  }
  return text
}

function mapped<Name extends string, From, To>(
  table: Readonly<Record<Name, From>>,
  change: (value: From) => To,
): Record<Name, To> {
  const names = Object.keys(table) as Name[]
  return Object.fromEntries(names.map((name) => [name, change(table[name])])) as Record<Name, To>
}
