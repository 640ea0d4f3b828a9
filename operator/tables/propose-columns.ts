import { plural } from '../../functions/runtime/format.ts'
import { columnName } from '../../functions/runtime/settings-schema/column-name.ts'
import type { ReportedField, SchemaReport } from '../../stored/schema-report/schema-report.ts'

/** A column that would reject none of the values that the report has counted. */
export interface ProposedColumn {
  /** As the configuration has it. */
  readonly name: string
  readonly from: string | undefined
  readonly type: string
  /** How many documents have a value, including null. */
  readonly present: number
  readonly seen: readonly string[]
  /** Whether the name looks like that of personal data, which can be stored as a hash. */
  readonly isPersonal: boolean
}

/** Proposes a column for each field that has values, and one for each object whose members are a map. */
export function proposeColumns({ fields }: Pick<SchemaReport, 'fields'>, idField: string): ProposedColumn[] {
  const parsed = fields.map((field) => ({ field, members: membersOfReported(field.path) }))
  const maps = new Set(parsed.flatMap(({ members }) => mapAbove(members) ?? []))
  const parents = new Set(parsed.map(({ members }) => keyOf(members.slice(0, -1))))
  const proposed = parsed.filter(({ field, members }) => {
    // Its members have columns of their own.
    const isEntered = parents.has(keyOf(members)) && !maps.has(keyOf(members)) && isOnly(field, ['object'])
    return !isEntered && mapAbove(members) === undefined && canBeWritten(members)
  })
  const names = namesOf(proposed, idField)
  const siblings = new TypesByName(proposed)
  return proposed.map((one) => {
    const { field, members } = one
    const { name, needsFrom } = names.get(one) ?? { name: field.path, needsFrom: false }
    return {
      name,
      from: needsFrom ? members.map(({ text }) => text.replaceAll('.', '\\.')).join('.') : undefined,
      type: maps.has(keyOf(members)) ? 'json' : (typeOf(one) ?? siblings.typeOf(one) ?? 'string'),
      present: field.present,
      seen: seenTypes(field),
      isPersonal: field.types.string + field.types.integer > 0 && isPersonalPath(members),
    }
  })
}

interface ParsedField {
  readonly field: ReportedField
  readonly members: readonly Member[]
}

interface GivenName {
  readonly name: string
  /** Whether the path does not follow from it. */
  readonly needsFrom: boolean
}

/** Of fields whose names differ only in case, the id field and then the most frequent one have the plain name. */
function namesOf(fields: readonly ParsedField[], idField: string): ReadonlyMap<ParsedField, GivenName> {
  const isId = ({ members }: ParsedField) => members.length === 1 && members[0]?.text === idField
  const inOrder = fields.toSorted(
    (one, other) => Number(isId(other)) - Number(isId(one)) || other.field.present - one.field.present,
  )
  const taken = new Set<string>()
  return new Map(inOrder.map((one) => [one, nameOf(one.members, taken)]))
}

/** What fields have whose names end with the same word: `createdIn` shows what `updatedIn` is while it is always null. */
class TypesByName {
  readonly #types = new Map<string, Set<string>>()

  constructor(fields: readonly ParsedField[]) {
    for (const one of fields) {
      const type = typeOf(one)
      if (type === undefined) continue
      const word = lastWord(one.members)
      this.#types.set(word, (this.#types.get(word) ?? new Set()).add(type))
    }
  }

  /** Undefined if they have none, or several. */
  typeOf({ members }: ParsedField): string | undefined {
    const [type, ...others] = [...(this.#types.get(lastWord(members)) ?? [])]
    if (others.length === 0) return type
    return [type, ...others].every((each) => each === 'date' || each === 'timestamp')
      ? 'timestamp'
      : undefined
  }
}

const lastWord = (members: readonly Member[]) =>
  columnName(members.at(-1)?.text ?? '')
    .split(/[^a-z0-9]+/)
    .at(-1) ?? ''

/** Names of members that look like names, phones, national ids, addresses and other ways to reach a person. */
const personal = new RegExp(
  [
    'e[-_]?mail|phone|mobile|whats_?app|telefone?|celular|^(?:tel|fax|cell)(?:[-_]?number)?$',
    '^(?:first|last|full|middle|given|family|sur|nick|user|display|contact|customer|client|buyer|seller|receiver|recipient|holder|owner|social|legal|mother|father)?[-_]?name$',
    'birth|passport|cpf|cnpj|ssn|iban|social[-_]?security|^(?:rg|dni|nif|nie|nit|rut|curp|rfc|cuit|cuil|cedula)$',
    '(?:tax|vat|national|identity|identification)[-_]?(?:id|number|card)|^identity$',
    '^(?:corporate|client|customer|buyer|receiver|owner)?[-_]?document(?:[-_]?(?:number|id))?$',
    'address(?:[-_]?line)?[-_]?[0-9]*$|^(?:ip|street|neighbou?rhood|complement|cep)$|street[-_]?(?:name|number|line)|(?:zip|post|postal)[-_. ]?(?:code)?$',
  ].join('|'),
  'i',
)

/** Members of an address that say little elsewhere. */
const ofAddress = /^(?:number|reference|line[-_]?[0-9]?)$/i

function isPersonalPath(members: readonly Member[]): boolean {
  const name = members.at(-1)?.text ?? ''
  if (personal.test(name)) return true
  return ofAddress.test(name) && members.some(({ text }) => /address/i.test(text))
}

/** Amounts of money. Those of tomorrow may have cents. */
const amount =
  /(?:price|amount|cost|total|value|discount|tax|fee|freight|shipping|balance|refund|revenue|paid|spent|salary|income|credit|debt|valor|preco|frete|saldo)$|^(?:price|amount|cost)/i
const centScale = 2

/** A member name of a path, or any member of a map. */
interface Member {
  readonly text: string
  readonly isAny: boolean
}

/** The report writes a dot in a name as `\.`, and a name that is an asterisk as `\*`. */
function membersOfReported(path: string): Member[] {
  return path
    .split(/(?<!\\)\./)
    .map((name) => ({ text: name === '\\*' ? '*' : name.replaceAll('\\.', '.'), isAny: name === '*' }))
}

const keyOf = (members: readonly Member[]) => JSON.stringify(members)

/** The key of the object that is a map, if the path leads into one. */
function mapAbove(members: readonly Member[]): string | undefined {
  const at = members.findIndex(({ isAny }) => isAny)
  return at === -1 ? undefined : keyOf(members.slice(0, at))
}

/** A path of the configuration cannot have empty names. The report cuts long ones. */
const canBeWritten = (members: readonly Member[]) =>
  members.every(({ text }) => text !== '' && !text.endsWith('…') && !text.includes('\\'))

/** `address.city` becomes `address_city`; a name that is taken gets a number. */
function nameOf(members: readonly Member[], taken: Set<string>): GivenName {
  const [{ text }] = members as [Member]
  const joined = members.map((member) => columnName(member.text)).join('_')
  const plain = joined.replaceAll(/[^a-z0-9_]+/g, '_').slice(0, 200)
  const base = /^[a-z_]/.test(plain) ? plain : `_${plain}`
  let name = base
  for (let number = 2; taken.has(name); number++) name = `${base}_${number}`
  taken.add(name)
  const isWritten = members.length === 1 && columnName(text) === name && /^[A-Za-z_]\w*$/.test(text)
  return isWritten ? { name: text, needsFrom: false } : { name, needsFrom: true }
}

type CountedType = keyof ReportedField['types']

const typesOf = ({ types }: ReportedField) =>
  (Object.keys(types) as CountedType[]).filter((type) => types[type] > 0)

const isOnly = (field: ReportedField, allowed: readonly CountedType[]) =>
  typesOf(field).every((type) => allowed.includes(type))

/** Undefined if it is always null: every type fits. */
function typeOf({ field, members }: ParsedField): string | undefined {
  const { types, timestamps, maxLength } = field
  if (typesOf(field).length === 0) return undefined
  if (isOnly(field, ['boolean'])) return 'boolean'
  if (isOnly(field, ['integer', 'decimal'])) return numberType(field, amount.test(members.at(-1)?.text ?? ''))
  if (isOnly(field, ['string']) && timestamps === types.string)
    return maxLength <= isoDateLength ? 'date' : 'timestamp'
  return isOnly(field, ['string', 'integer', 'decimal', 'boolean']) ? 'string' : 'json'
}

const isoDateLength = 'YYYY-MM-DD'.length

/** Every integer with 18 digits fits 64 bits. */
const maxLongDigits = 18
const maxDecimalDigits = 38
/** More are measurements, not amounts. */
const maxAmountScale = 10

function numberType({ types, maxDigits, maxScale }: ReportedField, isAmount: boolean): string {
  if (maxDigits > maxDecimalDigits) return 'string'
  const mayHaveCents = isAmount || types.decimal > 0
  if (maxScale === 0 && maxDigits <= maxLongDigits && !mayHaveCents) return 'long'
  const scale = Math.max(maxScale, mayHaveCents ? Math.min(centScale, maxDecimalDigits - maxDigits) : 0)
  // The number with the most digits before the point may have none after it.
  const precision = maxDigits + scale
  if (scale > maxAmountScale || precision > maxDecimalDigits) return 'double'
  return `decimal(${Math.max(maxLongDigits, precision)},${scale})`
}

/** `string, decimal (1 place), null` */
const seenTypes = (field: ReportedField) => [
  ...typesOf(field).map((type) =>
    type === 'decimal' ? `decimal (${plural(field.maxScale, 'place')})` : type,
  ),
  ...(field.null > 0 ? ['null'] : []),
]
