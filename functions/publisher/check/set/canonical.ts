import { hash } from 'node:crypto'

/** Texts, other scalars, and brackets. Valid JSON needs no commas and colons to be read again. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s",:[\]{}]+|[{}[\]]/g
const none: ReadonlySet<string> = new Set()

/**
 * A document as change sets compare it, without the ignored fields: keys sorted, no white space, escapes decoded, numbers
 * by their text. Of several equal keys the last one counts. The document is valid JSON.
 */
export function canonicalForm(document: string, ignored: ReadonlySet<string>): string {
  const read = document.match(tokens) ?? []
  let at = 0
  const next = () => read[at++] ?? ''
  const text = (token: string) => (token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token)
  function value(token: string, left: ReadonlySet<string>): string {
    if (token === '{') {
      const members = new Map<string, string>()
      for (let name = next(); name !== '}'; name = next()) {
        const key = JSON.parse(name) as string
        const member = `${text(name)}:${value(next(), none)}`
        if (!left.has(key)) members.set(key, member)
      }
      const sorted = [...members].toSorted(([one], [other]) => (one < other ? -1 : 1))
      return `{${sorted.map(([, member]) => member).join()}}`
    }
    if (token !== '[') return text(token)
    const items: string[] = []
    for (let item = next(); item !== ']'; item = next()) items.push(value(item, none))
    return `[${items.join()}]`
  }
  return value(next(), ignored)
}

/** 128 bits of the hash of a text, in Latin-1. */
export const shortHash = (text: string): string => hash('sha256', text, 'binary').slice(0, 16)

/** Such a hash as a summand. */
export const hashNumber = (short: string): bigint =>
  BigInt(`0x${Buffer.from(short, 'latin1').toString('hex')}`)

/** A sum modulo 2^128 as manifests have it. */
export const sumText = (sum: bigint): string => BigInt.asUintN(128, sum).toString(16).padStart(32, '0')
