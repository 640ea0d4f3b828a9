/** The variables of a proxy to the internet, as `node:http` reads them for an agent (`proxyEnv`). */
export type ProxyVariables = Readonly<Record<'http_proxy' | 'https_proxy' | 'no_proxy', string>>

/** Hosts that are always reached directly: `npm start` calls its own servers. */
const loopback = 'localhost,.localhost,127.0.0.0-127.255.255.255,::1,[::1]'

/**
 * The proxy that a machine's environment names: `HTTPS_PROXY`, `HTTP_PROXY`, else `ALL_PROXY`, and `NO_PROXY`, or the
 * same in lower case, which counts first. Undefined without one, and in Lambda, which has `network`.
 */
export function readProxy(env: NodeJS.ProcessEnv = process.env): ProxyVariables | undefined {
  const [http = '', https = ''] = proxiesIn(env).map((url) => (isSupported(url) ? url : ''))
  if (http === '' && https === '') return undefined
  const direct = readVariable(env, 'no_proxy')
    .split(/[\s,]+/)
    .map((entry) => entry.replace(/^\[(.*)\]$|\.$/, '$1'))
    .flatMap(formsOf)
  return { http_proxy: http, https_proxy: https, no_proxy: [...direct, loopback].join(',') }
}

const readVariable = (env: NodeJS.ProcessEnv, name: string) =>
  (env[name] || env[name.toUpperCase()] || '').trim()

/** For HTTP and HTTPS. Empty without a proxy. */
function proxiesIn(env: NodeJS.ProcessEnv): string[] {
  if (env['AWS_LAMBDA_FUNCTION_NAME'] !== undefined) return []
  const read = (name: string) => readVariable(env, name) || readVariable(env, 'all_proxy')
  return [urlOf(read('http_proxy')), urlOf(read('https_proxy'))]
}

/** `node:http` ignores a proxy of another kind without a word, and recognizes its own in lower case. */
const isSupported = (url: string) => /^https?:\/\//.test(url) && URL.canParse(url)

/**
 * An entry of `NO_PROXY` for `node:http`: elsewhere, a domain includes its subdomains, and `10.0.0.0/8` is a network.
 */
function formsOf(entry: string): string[] {
  const [, address, bits] = /^(\d+(?:\.\d+){3})\/(\d+)$/.exec(entry) ?? []
  if (address !== undefined) return [rangeOf(address, Number(bits))]
  const isDomain = /[a-z]/i.test(entry) && !/^[.*[]|:/.test(entry)
  return entry === '' ? [] : isDomain ? [entry, `.${entry}`] : [entry]
}

function rangeOf(address: string, bits: number): string {
  const number = Buffer.from(address.split('.').map(Number)).readUInt32BE()
  const size = 2 ** (32 - bits)
  const first = number - (number % size)
  return [first, first + size - 1].map(addressOf).join('-')
}

const addressOf = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')

const named = '(HTTPS_PROXY, HTTP_PROXY or ALL_PROXY)'

/**
 * The proxy that refused or could not be reached, in a clause without a full stop; undefined if another computer is the
 * cause. Credentials in the proxy's URL are not shown.
 */
export function proxyFailure(cause: unknown, variables = readProxy()): string | undefined {
  if (!(cause instanceof Error) || !variables) return undefined
  const { code, address, hostname, port } = cause as Error & Readonly<Record<string, unknown>>
  const urls = [variables.https_proxy, variables.http_proxy].flatMap((text) => URL.parse(text) ?? [])
  for (const { protocol, host, hostname: name, port: ownPort } of urls) {
    const proxy = `the proxy ${protocol}//${host} ${named}`
    if (code === 'ERR_PROXY_TUNNEL') return `${proxy} made no connection: ${tunnelStatus(cause.message)}`
    const isProxy =
      hostname === name || (address !== undefined && String(port) === (ownPort || defaultPort(protocol)))
    if (isProxy) return `${proxy} cannot be reached (${String(code)})`
  }
  return undefined
}

/** The proxy for HTTPS, if it cannot be used, or if its own TLS may have failed, in a clause without a full stop. */
export function doubtfulProxy(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const [, url = ''] = proxiesIn(env)
  const isUsed = isSupported(url)
  if (url === '' || (isUsed && url.startsWith('http:'))) return undefined
  const { protocol, host } = URL.parse(url) ?? { protocol: '', host: 'without a valid URL' }
  const why = isUsed
    ? 'is called over TLS: write http:// if it does not speak TLS'
    : 'is not used: only http:// and https:// are supported'
  return `the proxy ${protocol && `${protocol}//`}${host} ${named} ${why}`
}

/** As curl reads it: `proxy.example.com:3128` is called over HTTP, and `%` that begins no escape is itself. */
const urlOf = (text: string) =>
  (text === '' || text.includes('://') ? text : `http://${text}`)
    .replace(/^https?:/i, (scheme) => scheme.toLowerCase())
    .replaceAll(/%(?![\da-f]{2})/gi, '%25')

const defaultPort = (protocol: string) => (protocol === 'https:' ? '443' : '80')

/** The proxy's status line ends the message of Node. */
const tunnelStatus = (message: string) => /HTTP\/1\.\d (\d{3}.*)$/.exec(message)?.[1] ?? message
