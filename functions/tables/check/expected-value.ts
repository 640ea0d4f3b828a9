import { hash } from 'node:crypto'
import type { ColumnType } from '../../runtime/settings-schema/columns.ts'

/** As a file has it: a bigint for `long`, `decimal` (unscaled) and `timestamp`, and days since 1970 for `date`. */
export type FileValue = string | boolean | number | bigint

/** What a column has for the JSON of a value, by another way than what writes it. Undefined if the value does not fit. */
export function expectedValue(json: string, type: ColumnType): FileValue | undefined {
  const parsed: unknown = JSON.parse(json)
  const text = typeof parsed === 'string' ? parsed : json
  switch (type.kind) {
    case 'json':
      return wellFormed(json)
    case 'boolean':
      return typeof parsed === 'boolean' ? parsed : undefined
    case 'string': {
      if (typeof parsed === 'object' || /\p{Surrogate}/u.test(text)) return undefined
      return type.hash ? hash(type.hash, text) : text
    }
    case 'int':
    case 'long': {
      const bits = type.kind === 'int' ? 31n : 63n
      const integer = scaled(text, 0)
      if (integer === undefined || integer >= 2n ** bits || integer < -(2n ** bits)) return undefined
      return type.kind === 'int' ? Number(integer) : integer
    }
    case 'double':
      return number.test(text) && Math.abs(Number(text)) < Infinity ? Number(text) : undefined
    case 'decimal': {
      const unscaled = scaled(text, type.scale)
      const limit = 10n ** BigInt(type.precision)
      return unscaled !== undefined && unscaled < limit && unscaled > -limit ? unscaled : undefined
    }
    case 'date':
    case 'timestamp': {
      const micros = typeof parsed === 'string' ? microseconds(text) : undefined
      if (micros === undefined || type.kind === 'timestamp') return micros
      const day = 86_400_000_000n
      return Number((micros - (((micros % day) + day) % day)) / day)
    }
  }
}

/** JSON with U+FFFD in place of each half of a surrogate pair. */
export const wellFormed = (json: string): string =>
  json.replaceAll(
    /(\\[^u]|\\ud[89ab]..\\ud[c-f]..)|\\ud[89a-f]../gi,
    (_, kept: string | undefined) => kept ?? '\\ufffd',
  )

const number = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The number times ten to the power of `scale`, if that is an integer of a size that can matter. */
function scaled(text: string, scale: number): bigint | undefined {
  const [matched, whole = '', fraction = '', exponentText = '0'] = number.exec(text) ?? []
  if (matched === undefined) return undefined
  const digits = BigInt(whole + fraction) * (text.startsWith('-') ? -1n : 1n)
  if (digits === 0n) return 0n
  const exponent = Number(exponentText) - fraction.length + scale
  if (Math.abs(exponent) > text.length + 100) return undefined
  const factor = 10n ** BigInt(Math.abs(exponent))
  if (exponent >= 0) return digits * factor
  return digits % factor === 0n ? digits / factor : undefined
}

const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/

function microseconds(text: string): bigint | undefined {
  const [matched, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    iso.exec(text) ?? []
  if (matched === undefined) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  // A date that is not in the calendar becomes another one.
  if (!date.toISOString().startsWith(`${year}-${month}-${day}T${hour}:${minute}:${second}.`)) return undefined
  const [offsetHours = 0, offsetMinutes = 0] = (zone.slice(1).match(/\d\d/g) ?? []).map(Number)
  if (offsetHours > 23 || offsetMinutes > 59) return undefined
  const offset = (zone.startsWith('-') ? -1 : 1) * (offsetHours * 60 + offsetMinutes)
  const utc = new Date(date.getTime() - offset * 60_000)
  const isInRange = [Number(year), utc.getUTCFullYear()].every((each) => each >= 1 && each <= 9999)
  if (!isInRange) return undefined
  return BigInt(utc.getTime()) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}
