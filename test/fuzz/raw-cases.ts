import { type Chance, createChance } from '../simulation/chance.ts'
import { docks, get, patch, paths, render, request } from './raw-requests.ts'
import {
  chunkEnds,
  chunkSizes,
  type Kind,
  nastyHeaders,
  nastyValues,
  oddBodies,
  oddHeaderLines,
  oddMethods,
  oddTargets,
  oddValues,
  oddVersions,
  queryNames,
  randomBytes,
  smugglingHeaders,
} from './raw-values.ts'

/** Bytes to send over one connection. */
export interface RawCase {
  readonly name: KindName
  /** Sent in this order. */
  readonly pieces: readonly Buffer[]
  /** Pause before each piece except the first. */
  readonly pauseMs: number
}

/** Hidden inside another request: if the platform receives it, two servers parsed the same bytes differently. */
export const smuggled = 'smuggled-dock'

/** The case of a seed and an index. The same numbers give the same bytes. */
export function rawCase(seed: number, index: number): RawCase {
  const chance = createChance(Math.imul(seed, 1_000_003) + index)
  const name = chance.pick(Object.keys(kinds) as KindName[])
  const bytes = latin1(kinds[name](chance))
  if (name === 'in pieces') return { name, pieces: inPieces(bytes, chance), pauseMs: chance.integer(0, 12) }
  return { name, pieces: [bytes], pauseMs: 0 }
}

type KindName = keyof typeof kinds

const kinds = {
  'right request': (chance) => render(request(chance)),
  'in pieces': (chance) => render(request(chance)),
  'changed bytes': (chance) => changed(render(request(chance)), chance),
  'cut off': (chance) => {
    const text = render(request(chance))
    return text.slice(0, chance.integer(1, text.length - 1))
  },
  junk: (chance) => chance.pick([randomBytes, () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'])(chance),
  'repeated headers': (chance) => {
    const made = request(chance)
    const name = chance.pick(nastyHeaders)
    const values = Array.from({ length: chance.integer(2, 4) }, () => chance.pick(nastyValues))
    return render({ ...made, headers: [...made.headers, ...values.map((value) => `${name}: ${value}`)] })
  },
  'odd header': (chance) => {
    const made = request(chance)
    return render({ ...made, headers: [...made.headers, chance.pick(oddHeaderLines)] })
  },
  'huge headers': (chance) => {
    const made = request(chance)
    const many = chance.happens(0.5)
    const extra = many
      ? Array.from({ length: chance.integer(50, 3000) }, (_, index) => `x-${index}: ${index}`)
      : [`${chance.pick(nastyHeaders)}: ${'a'.repeat(chance.integer(4_000, 200_000))}`]
    return render({ ...made, headers: [...made.headers, ...extra] })
  },
  'odd target': (chance) => render({ ...request(chance), target: chance.pick(oddTargets) }),
  'odd path value': (chance) => {
    const values = Array.from({ length: chance.integer(1, 3) }, () => chance.pick(oddValues))
    return render({ ...get(chance), target: `${chance.pick(['', '/'])}${docks}${values.join('')}` })
  },
  'odd query': (chance) => {
    const pairs = Array.from(
      { length: chance.integer(1, 5) },
      () => `${chance.pick(queryNames)}${chance.pick(['=', '', '=='])}${chance.pick(oddValues)}`,
    )
    const path = chance.pick([...Object.values(paths), '/syncs', '/openapi.json'])
    return render({ ...get(chance), target: `${path}?${pairs.join(chance.pick(['&', '&&', ';', '?']))}` })
  },
  'long target': (chance) =>
    render({ ...get(chance), target: `${paths.search}?a=${'%20'.repeat(chance.integer(1000, 30_000))}` }),
  'odd version': (chance) => render({ ...request(chance), version: chance.pick(oddVersions) }),
  'odd method': (chance) => render({ ...request(chance), method: chance.pick(oddMethods) }),
  'odd line ends': (chance) =>
    render(request(chance)).replaceAll('\r\n', chance.pick(['\n', '\r', '\n\r', '\r\r\n'])),
  'nul bytes': (chance) => {
    const text = render(request(chance))
    const at = chance.integer(0, text.length)
    return `${text.slice(0, at)}${chance.pick(['\0', '\0\0\0', '\x7f', '\x01', '\x0b'])}${text.slice(at)}`
  },
  'two in one': (chance) => {
    const inner = `GET ${docks}${smuggled} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const lines = [...chance.pick(smugglingHeaders(inner.length))]
    return `POST /syncs/ZZ HTTP/1.1\r\nHost: localhost\r\n${lines.join('\r\n')}\r\n\r\n0\r\n\r\n${inner}`
  },
  pipeline: (chance) =>
    Array.from({ length: chance.integer(2, 6) }, () => render(request(chance))).join(
      chance.pick(['', '\r\n']),
    ),
  chunks: (chance) => {
    const { body = '{}', ...made } = patch(chance)
    const headers = ['Host: localhost', 'Content-Type: application/json', 'Transfer-Encoding: chunked']
    const cut = chance.integer(0, body.length)
    const parts = [body.slice(0, cut), body.slice(cut)].filter((part) => part !== '')
    const size = (part: string) => chance.pick(chunkSizes)(part.length)
    const chunks = parts.map((part) => `${size(part)}\r\n${part}${chance.pick(['\r\n', '\r\n', '\n', ''])}`)
    return `${render({ ...made, headers })}${chunks.join('')}${chance.pick(chunkEnds)}`
  },
  expectations: (chance) => {
    const made = patch(chance)
    const wish = chance.pick(['100-continue', '100-Continue, x', 'the-worst', '', 'upgrade'])
    return render({ ...made, headers: [`Expect: ${wish}`, ...made.headers] })
  },
  upgrades: (chance) => {
    const made = request(chance)
    const to = chance.pick(['websocket', 'h2c', 'TLS/1.0', ''])
    const more = ['Connection: Upgrade, HTTP2-Settings', `Upgrade: ${to}`, 'HTTP2-Settings: AAMAAABkAAQ']
    return render({ ...made, headers: [...made.headers, ...more] })
  },
  'odd body': (chance) => {
    const made = patch(chance)
    const body = chance.pick(oddBodies)(chance)
    const type = chance.pick(['application/json', 'application/merge-patch+json', 'text/plain', ''])
    return render({ ...made, headers: ['Host: localhost', `Content-Type: ${type}`], body })
  },
  'preflight and page': (chance) =>
    render({
      ...get(chance),
      method: chance.pick(['OPTIONS', 'GET']),
      target: chance.pick(['/', '/reference/../../package.json', '/reference/%2e%2e/gateway.ts', '//', '*']),
      headers: ['Host: localhost', 'Origin: null', 'Access-Control-Request-Method: PATCH\t'],
    }),
} as const satisfies Record<string, Kind>

function changed(text: string, chance: Chance): string {
  let left = text
  for (let times = chance.integer(1, 6); times > 0; times--) {
    const at = chance.integer(0, left.length)
    const put = chance.pick(['', '\r\n', ' ', ':', '%', String.fromCharCode(chance.integer(0, 255))])
    left = `${left.slice(0, at)}${put}${left.slice(at + chance.integer(0, 2))}`
  }
  return left
}

function inPieces(bytes: Buffer, chance: Chance): Buffer[] {
  const pieces: Buffer[] = []
  const longest = Math.max(1, Math.ceil(bytes.length / chance.integer(2, 12)))
  for (let at = 0; at < bytes.length; at += longest) pieces.push(bytes.subarray(at, at + longest))
  return pieces
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')
