import type { ReportedField } from '../../../../stored/schema-report/schema-report.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

interface Value {
  readonly value: Json
  /** The position of its document. */
  readonly document: number
}

interface Node {
  readonly values: readonly Value[]
  members: Map<string, Node>
  mapMember?: Node
}

/** The fields of a report by another way: it keeps every value, and merges maps after the last document. */
export function expectedFields(documents: readonly string[]): ReportedField[] {
  const values = documents.map((text, document) => ({ value: JSON.parse(text) as Json, document }))
  return fieldsOf(nodeOf(values, Number.POSITIVE_INFINITY), '')
}

function nodeOf(values: readonly Value[], maxNames = 200): Node {
  const byName = new Map<string, Value[]>()
  for (const { value, document } of values) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
    for (const name of Object.keys(value)) {
      const same = byName.get(name) ?? []
      same.push({ value: value[name] as Json, document })
      byName.set(name, same)
    }
  }
  if (byName.size > maxNames)
    return { values, members: new Map(), mapMember: nodeOf([...byName.values()].flat()) }
  return { values, members: new Map([...byName].map(([name, all]) => [name, nodeOf(all)])) }
}

function fieldsOf(node: Node, before: string, isBelowMap = false): ReportedField[] {
  if (node.mapMember) {
    const field = fieldOf(node.mapMember, `${before}*`)
    return [withDocuments(field, node.mapMember), ...fieldsOf(node.mapMember, `${before}*.`, true)]
  }
  return [...node.members]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, member]) => {
      const path = before + (name === '*' ? '\\*' : name.replaceAll('.', '\\.'))
      const field = fieldOf(member, path)
      return [isBelowMap ? withDocuments(field, member) : field, ...fieldsOf(member, `${path}.`, isBelowMap)]
    })
}

function withDocuments(field: ReportedField, { values }: Node): ReportedField {
  const count = (some: readonly Value[]) => Math.min(10, new Set(some.map(({ document }) => document)).size)
  const types = Object.keys(field.types) as (keyof ReportedField['types'])[]
  const byType = types.map((type) => [
    type,
    count(
      values.filter(
        ({ value }) => fieldOf({ values: [{ value, document: 0 }], members: new Map() }, '').types[type],
      ),
    ),
  ])
  return { ...field, documents: { present: count(values), ...Object.fromEntries(byType) } }
}

function fieldOf({ values: found }: Node, path: string): ReportedField {
  const values = found.map(({ value }) => value)
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
