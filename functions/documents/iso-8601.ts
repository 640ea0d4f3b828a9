import { isDigit, minus } from './json-bytes.ts'

const maxFractionDigits = 9
const secondsOfDay = 86_400
/** 0001-01-01 and 9999-12-31 in days since 1970. */
const firstDay = -719_162
const lastDay = 2_932_896

/**
 * The one reader of the dates of documents. It reads an ISO 8601 date or timestamp: `2026-07-17`, or with `T`, `t` or a
 * space and hours and minutes, optionally seconds with up to nine fractional digits, and `Z`, `z` or an offset. Without
 * them it is UTC. Refuses white space around it, dates that do not exist, years outside 0001 to 9999 (as written or in
 * UTC), and second 60, which a count of seconds since 1970 cannot represent.
 */
export class IsoTime {
  /** Days since 1970 in UTC. */
  day = 0
  /** Seconds since the beginning of that day. */
  second = 0
  /** Microseconds of that second: further digits are cut. */
  microsecond = 0

  /** Whether the text from `start` to `end` is a date or timestamp. The other members then have its value. */
  read(text: Buffer, start: number, end: number): boolean {
    this.second = 0
    this.microsecond = 0
    const length = end - start
    if (length < 10 || text[start + 4] !== minus || text[start + 7] !== minus) return false
    const year = twoDigits(text, start) * 100 + twoDigits(text, start + 2)
    const month = twoDigits(text, start + 5)
    const day = twoDigits(text, start + 8)
    // A part that has no digits is NaN, and no comparison with NaN is true.
    if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month))) return false
    this.day = daysSince1970(year, month, day)
    return length === 10 || (isSeparator(text[start + 10]) && this.#readTime(text, start + 11, end))
  }

  #readTime(text: Buffer, start: number, end: number): boolean {
    const hour = twoDigits(text, start)
    const minute = twoDigits(text, start + 3)
    if (!(end - start >= 5 && text[start + 2] === colon && hour <= 23 && minute <= 59)) return false
    this.second = hour * 3600 + minute * 60
    let at = start + 5
    if (text[at] === colon && at < end) {
      const second = twoDigits(text, at + 1)
      if (!(at + 3 <= end && second <= 59)) return false
      this.second += second
      at += 3
      if ((text[at] === point || text[at] === comma) && at < end) {
        at = this.#readFraction(text, at + 1, end)
        if (at < 0) return false
      }
    }
    if (at === end) return true
    if (text[at] === capitalZ || text[at] === smallZ) return at + 1 === end
    return this.#readOffset(text, at, end)
  }

  /** Returns where the digits end, or -1 if there are none or too many. */
  #readFraction(text: Buffer, start: number, end: number): number {
    let at = start
    let unit = 100_000
    let microsecond = 0
    for (; at < end && isDigit(text[at]); at++) {
      microsecond += ((text[at] ?? 0) - zero) * unit
      unit = Math.floor(unit / 10)
    }
    this.microsecond = microsecond
    return at === start || at - start > maxFractionDigits ? -1 : at
  }

  /** `+03`, `+0330` or `+03:30`. */
  #readOffset(text: Buffer, at: number, end: number): boolean {
    const sign = text[at] === plus ? 1 : text[at] === minus ? -1 : 0
    const length = end - at
    const hasColon = length === 6 && text[at + 3] === colon
    if (sign === 0 || !(length === 3 || length === 5 || hasColon)) return false
    const hours = twoDigits(text, at + 1)
    const minutes = length === 3 ? 0 : twoDigits(text, at + (hasColon ? 4 : 3))
    if (!(hours <= 23 && minutes <= 59)) return false
    this.second -= sign * (hours * 3600 + minutes * 60)
    if (this.second < 0) {
      this.second += secondsOfDay
      this.day--
    } else if (this.second >= secondsOfDay) {
      this.second -= secondsOfDay
      this.day++
    }
    return this.day >= firstDay && this.day <= lastDay
  }
}

const time = new IsoTime()

/** Microseconds since 1970 of a date or timestamp, exact from the year 1685 to 2254; undefined if the text is none. */
export function epochMicroseconds(text: string): number | undefined {
  const bytes = Buffer.from(text)
  if (!time.read(bytes, 0, bytes.length)) return undefined
  return (time.day * secondsOfDay + time.second) * 1_000_000 + time.microsecond
}

const zero = 0x30
const plus = 0x2b
const comma = 0x2c
const point = 0x2e
const colon = 0x3a
const capitalT = 0x54
const capitalZ = 0x5a
const space = 0x20
const smallT = 0x74
const smallZ = 0x7a

const isSeparator = (byte: number | undefined) => byte === capitalT || byte === smallT || byte === space

/** NaN if they are not digits. */
function twoDigits(text: Buffer, at: number): number {
  const tens = text[at]
  const ones = text[at + 1]
  if (!isDigit(tens) || !isDigit(ones)) return Number.NaN
  return ((tens ?? 0) - zero) * 10 + (ones ?? 0) - zero
}

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function daysOf(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeapYear ? 29 : (daysOfMonth[month - 1] ?? 0)
}

/** In the Gregorian calendar. Years begin in March here, so that the leap day is the last one. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1
  const century = Math.floor(shifted / 100)
  const monthFromMarch = (month + 9) % 12
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + day - 1
  return 365 * shifted + Math.floor(shifted / 4) - century + Math.floor(century / 4) + dayOfYear - 719_468
}
