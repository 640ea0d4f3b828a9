/** The content of an element: text, or elements by name. A list repeats its element. */
export type Xml = string | number | boolean | { readonly [name: string]: Xml | readonly Xml[] | undefined }

export function xmlDocument(name: string, content: Xml): string {
  const document = element(name, content)
  // S3's errors are in no namespace.
  const named = name === 'Error' ? document : document.replace(`<${name}`, `<${name} xmlns="${namespace}"`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${named}`
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

function element(name: string, content: Xml | readonly Xml[] | undefined): string {
  if (content === undefined) return ''
  if (isList(content)) return content.map((item) => element(name, item)).join('')
  const inner =
    typeof content === 'object'
      ? Object.entries(content)
          .map((entry) => element(...entry))
          .join('')
      : escapeXml(String(content))
  return `<${name}>${inner}</${name}>`
}

const isList = (content: Xml | readonly Xml[]): content is readonly Xml[] => Array.isArray(content)

/** Also control characters, which readers would change or refuse. */
const escapeXml = (text: string) =>
  text.replace(/[&<>"'\p{Cc}]/gu, (character) => `&#${character.codePointAt(0)};`)

/** The contents of the elements with this name. Nested elements of one name are not supported. */
export function elementsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, content = '']) => content,
  )
}

export function elementContent(xml: string, name: string): string | undefined {
  return elementsOf(xml, name)[0]?.replace(
    /&(#x?)?(\w+);/g,
    (found, numeric: string | undefined, value: string) => {
      if (numeric === undefined) return named[value] ?? found
      return String.fromCodePoint(Number.parseInt(value, numeric === '#x' ? 16 : 10))
    },
  )
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
