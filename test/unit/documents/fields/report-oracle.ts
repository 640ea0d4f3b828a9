import type { ReportedField } from '../../../../functions/documents/fields/schema-report.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

interface Node {
  readonly values: Json[]
  members: Map<string, Node>
  mapMember?: Node
}

/** The fields of a report by another way: it keeps every value, and merges maps after the last document. */
export function expectedFields(documents: readonly string[]): ReportedField[] {
  const root = nodeOf(documents.map((document) => JSON.parse(document) as Json))
  return fieldsOf(root, '')
}

function nodeOf(values: Json[]): Node {
  const byName = new Map<string, Json[]>()
  for (const value of values) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
    for (const name of Object.keys(value)) {
      const same = byName.get(name) ?? []
      same.push(value[name] as Json)
      byName.set(name, same)
    }
  }
  if (byName.size > 200) return { values, members: new Map(), mapMember: nodeOf([...byName.values()].flat()) }
  return { values, members: new Map([...byName].map(([name, all]) => [name, nodeOf(all)])) }
}

function fieldsOf(node: Node, before: string): ReportedField[] {
  if (node.mapMember)
    return [fieldOf(node.mapMember, `${before}*`), ...fieldsOf(node.mapMember, `${before}*.`)]
  return [...node.members]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, member]) => {
      const path = before + (name === '*' ? '\\*' : name.replaceAll('.', '\\.'))
      return [fieldOf(member, path), ...fieldsOf(member, `${path}.`)]
    })
}

function fieldOf({ values }: Node, path: string): ReportedField {
  const count = (test: (value: Json) => boolean) => values.filter(test).length
  const numbers = values.filter((value) => typeof value === 'number').map(digitsOf)
  const strings = values.filter((value) => typeof value === 'string')
  return {
    path,
    present: values.length,
    null: count((value) => value === null),
    types: {
      string: strings.length,
      integer: numbers.filter(({ isInteger }) => isInteger).length,
      decimal: numbers.filter(({ isInteger }) => !isInteger).length,
      boolean: count((value) => typeof value === 'boolean'),
      object: count((value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
      array: count(Array.isArray),
    },
    timestamps: strings.filter((text) => /^\d{4}-\d\d-\d\d/.test(text)).length,
    maxLength: Math.max(0, ...strings.map((text) => Buffer.byteLength(JSON.stringify(text)) - 2)),
    maxDigits: Math.max(0, ...numbers.map(({ digits }) => digits)),
    maxScale: Math.max(0, ...numbers.map(({ scale }) => scale)),
  }
}

function digitsOf(value: number) {
  const text = JSON.stringify(value)
  const isInteger = /^-?\d+$/.test(text)
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const shift = Number(exponent) - fraction.length
  const all = (whole + fraction).replace(/^0+/, '')
  const trimmed = all.replace(/0+$/, '')
  if (trimmed === '') return { isInteger, digits: 1, scale: 0 }
  const place = shift + all.length - trimmed.length
  const scale = Math.max(0, -place)
  return { isInteger, digits: Math.max(0, trimmed.length + place) + scale, scale }
}
