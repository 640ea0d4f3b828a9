import { type Chance, createChance } from '../simulation/chance.ts'

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

/** Returns text in which every character is one byte. */
type Kind = (chance: Chance) => string

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

interface Request {
  readonly method: string
  readonly target: string
  readonly version: string
  readonly headers: readonly string[]
  readonly body?: string
}

function render({ method, target, version, headers, body }: Request): string {
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`]
  const start = [method, target, version].filter((part) => part !== '').join(' ')
  return `${[start, ...headers, ...length].join('\r\n')}\r\n\r\n${body ?? ''}`
}

const docks = '/api/logistics/pvt/configuration/docks/'
const paths = {
  dock: `${docks}dock-lisbon`,
  search: '/api/dataentities/CL/search',
  scroll: '/api/dataentities/CL/scroll',
  group: '/api/rns/subscriptions-group/group-1',
  subscription: '/api/rns/subscriptions/subscription-1',
}

const request = (chance: Chance): Request => chance.pick([get, patch])(chance)

function get(chance: Chance): Request {
  const target = chance.pick([
    paths.dock,
    `${paths.search}?_sort=id%20ASC&email=a%40b.c`,
    `${paths.scroll}?_size=10`,
    '/syncs',
    '/syncs/CL/snapshot',
    '/openapi.json',
    '/nowhere',
  ])
  return {
    method: 'GET',
    target,
    version: 'HTTP/1.1',
    headers: ['Host: localhost', 'REST-Range: resources=0-5'],
  }
}

function patch(chance: Chance): Request {
  const [target, body] = chance.pick([
    [paths.subscription, '{"item":{"quantity":2}}'],
    [`${paths.group}?an=shop`, '{"item":[{"sku":{"id":"1"}}]}'],
  ] as const)
  const headers = ['Host: localhost', 'Content-Type: application/json']
  return { method: 'PATCH', target, version: 'HTTP/1.1', headers, body }
}

const nastyHeaders = [
  'Host',
  'Content-Length',
  'Transfer-Encoding',
  'Content-Type',
  'Connection',
  'Authorization',
  'Cookie',
  'REST-Range',
  'Accept',
  'Accept-Encoding',
  'Idempotency-Key',
  'traceparent',
  'User-Agent',
  'X-SVC-API-AppKey',
  'X-SVC-API-AppToken',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-HTTP-Method-Override',
  '__proto__',
  'constructor',
]
const nastyValues = [
  '',
  '0',
  '5',
  '-1',
  '99999999999999999999',
  'chunked',
  'identity',
  'close',
  'evil.example',
  'application/json',
  'a, b; c="',
  'resources=0-5',
  '\t x \t',
  '\xc3\xa9\xff',
  '"key"',
  'x'.repeat(300),
]
const oddHeaderLines = [
  ' Folded: line',
  'No colon',
  'Space : before',
  ': nameless',
  'Host: x\r\n folded',
  'Content-Length : 3',
  'Na\x00me: x',
  'Name: x\x00y',
  'Name\xe9: x',
  '(Name): x',
  'Name: \r',
  'Content-Length: 1e1',
  'Content-Length: 0x1',
  'Host: a b',
  'Host:',
  'Connection: content-type, host, rest-range',
  'TE: trailers, deflate;q=0.5',
]
const oddTargets = [
  '*',
  '',
  '?',
  '#',
  'dock',
  'http://evil.example/',
  `http://evil.example${paths.dock}`,
  `https://user:pass@evil.example:99999${paths.dock}?a=b`,
  `//evil.example${paths.dock}`,
  `/\\evil.example${paths.dock}`,
  'evil.example:443',
  `${paths.dock}#fragment`,
  `${paths.dock}?`,
  `${paths.dock}/`,
  `/.${paths.dock}`,
  `/x/..${paths.dock}`,
  `${docks}../../../../dataentities/CL/search`,
  `${docks}..%2f..%2f`,
  `${docks}%2e%2e`,
  `${docks};a=b`,
  '/%5cx',
  '/%',
  '/%zz',
  '/%00',
  '/\xe9',
  '/ HTTP/1.1',
  'javascript:alert(1)',
]
const oddValues = [
  'a',
  '%',
  '%2',
  '%zz',
  '%25',
  '%252F',
  '%2F',
  '%5C',
  '%00',
  '%0d%0aX-Injected:%201',
  '%C3%A9',
  '%C0%AF',
  '%ED%A0%80',
  '%F0%9F%9A%A2',
  '%FF%FE',
  '\xff',
  '..',
  '.',
  '+',
  ' ',
  '"<>|^`{}',
  '__proto__',
  "';--",
  '%E2%80%AE',
  'x'.repeat(3000),
]
const queryNames = [
  '_where',
  '_fields',
  '_sort',
  '_size',
  '_token',
  '_secret',
  '',
  'an',
  'email',
  'X-Amz-Signature',
  '%5Fsize',
  '__proto__',
  '%',
  '%FF',
]
const oddVersions = [
  '',
  'HTTP/0.9',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/9.9',
  'http/1.1',
  'HTTP/1.1x',
  'HTTP/1',
  'ICE/1.0',
]
const oddMethods = [
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'POST',
  'PUT',
  'DELETE',
  'get',
  'G\x00T',
  'PRI',
  'M-SEARCH',
  ' GET',
  '',
]

/** Headers with two contradictory body lengths (RFC 9112 section 11.2). */
const smugglingHeaders = (innerLength: number) =>
  [
    [`Content-Length: ${innerLength + 5}`, 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked', 'Content-Length: 5'],
    ['Transfer-Encoding: xchunked', 'Content-Length: 5'],
    ['Transfer-Encoding : chunked', 'Content-Length: 5'],
    ['Transfer-Encoding: \x0bchunked', 'Content-Length: 5'],
    ['Transfer-Encoding: chunked, identity', 'Content-Length: 5'],
    ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked', 'Content-Length: 5'],
    ['Content-Length: 5', `Content-Length: ${innerLength + 5}`],
    ['Content-Length: +5'],
    [`Content-Length: 5, ${innerLength + 5}`],
    ['Content-Length: 5\x0b'],
    ['Content-Length: 0x5'],
  ] as const

const chunkSizes: readonly ((length: number) => string)[] = [
  (length) => length.toString(16),
  (length) => length.toString(16),
  (length) => `000${length.toString(16)};name="value"`,
  (length) => (length + 3).toString(16),
  () => '-1',
  () => 'g',
  () => '',
  () => 'ffffffffffffffffff',
  (length) => ` ${length.toString(16)} `,
]
const chunkEnds = [
  '0\r\n\r\n',
  '0\r\n\r\n',
  '0\r\nTrailer: x\r\nHost: evil\r\n\r\n',
  '0\n\n',
  '0',
  '00000000000\r\n\r\n',
]

const oddBodies: readonly Kind[] = [
  () => '',
  () => 'null',
  () => '[]',
  () => '{"item":',
  () => '{"item":{"quantity":1e999}}',
  () => '{"__proto__":{"a":1},"constructor":2}',
  () => '\xef\xbb\xbf{}',
  () => '{"a":"\xff"}',
  () => '{"a":"\x00"}',
  () => '\x1f\x8b\x08\x00',
  (chance) => '['.repeat(chance.integer(10, 100_000)),
  (chance) => `{"a":"${'x'.repeat(chance.integer(1000, 300_000))}"}`,
  randomBytes,
]

function randomBytes(chance: Chance): string {
  return Array.from({ length: chance.integer(1, 400) }, () =>
    String.fromCharCode(chance.integer(0, 255)),
  ).join('')
}

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
