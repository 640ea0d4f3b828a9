import fc from 'fast-check'

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength: 1, maxLength })
const numbers = fc
  .tuple(
    fc.constantFrom('', '', '-'),
    fc.oneof(
      fc.constant('0'),
      digits(40).map((text) => text.replace(/^0+(?=\d)/, '')),
    ),
    fc.oneof(
      fc.constant(''),
      digits(25).map((text) => `.${text}`),
      fc.constant('.000'),
    ),
    fc.oneof(
      fc.constant(''),
      fc.integer({ min: -60, max: 60 }).map((power) => `e${power}`),
      digits(11).map((text) => `E+${text}`),
    ),
  )
  .map((parts) => parts.join(''))
const limits = fc
  .tuple(fc.constantFrom(31n, 63n), fc.constantFrom(-1n, 1n), fc.integer({ min: -3, max: 3 }))
  .map(([bits, sign, distance]) => String(sign * 2n ** bits + BigInt(distance)))
const two = (max: number) => fc.integer({ min: 0, max }).map((part) => String(part).padStart(2, '0'))
const times = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1890, max: 2110 }), fc.constantFrom(0, 1, 2, 1969, 1970, 9998, 9999)),
    two(13),
    fc.oneof(two(32), fc.constantFrom('28', '29', '30', '31')),
    fc.oneof(
      fc.constant(''),
      fc
        .tuple(
          fc.constantFrom('T', 'T', 't', ' '),
          two(24),
          two(60),
          fc.option(fc.tuple(two(60), fc.option(digits(10)))),
          fc.oneof(
            fc.constantFrom('', 'Z', 'z'),
            fc
              .tuple(fc.constantFrom('+', '-'), two(24), fc.constantFrom('', ':'), two(60))
              .map((parts) => parts.join('')),
          ),
        )
        .map(([separator, hour, minute, seconds, zone]) => {
          const [second, fraction] = seconds ?? []
          return `${separator}${hour}:${minute}${second ? `:${second}` : ''}${fraction ? `.${fraction}` : ''}${zone}`
        }),
    ),
  )
  .map(([year, month, date, time]) => `${String(year).padStart(4, '0')}-${month}-${date}${time}`)
/** Texts in which one character is not what belongs there. */
const damaged = (texts: fc.Arbitrary<string>) =>
  fc
    .tuple(texts, fc.nat(), fc.constantFrom(...' +-.,:0eETtZzé'.split('')))
    .map(
      ([text, at, character]) =>
        text.slice(0, at % (text.length + 1)) + character + text.slice((at % (text.length + 1)) + 1),
    )
const quoted = (texts: fc.Arbitrary<string>) => texts.map((text) => JSON.stringify(text))
/** The JSON of values that are near the limits of what columns store. */
export const jsonValues = fc.oneof(
  numbers,
  limits,
  quoted(numbers),
  quoted(limits),
  quoted(times),
  quoted(damaged(numbers)),
  quoted(damaged(times)),
  quoted(times).map((json) => json.replaceAll('+', '\\u002b').replace('T', '\\u0054')),
  quoted(fc.string({ unit: 'binary' })),
  fc.json({ maxDepth: 2 }),
  fc.constantFrom('true', 'false', '"\\ud800"', '"\\udc00x"'),
)
